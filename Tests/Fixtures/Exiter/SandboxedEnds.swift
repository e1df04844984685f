// Ends in a sandbox of the program's own making.

import FixtureSupport

@_silgen_name("prctl") private func control(_ option: CInt, _: Int, _: Int, _: Int, _: Int) -> CInt
@_silgen_name("syscall") private func systemCall(_ number: Int, _: Int, _: Int, _: Int) -> Int

#if arch(x86_64)
  private let (writeCall, exitGroupCall, seccompCall) = (UInt32(1), UInt32(231), 317)
#else
  private let (writeCall, exitGroupCall, seccompCall) = (UInt32(64), UInt32(94), 277)
#endif

/// An instruction of the kernel's packet filter.
private struct Instruction {
  var code: UInt16
  var ifTrue = UInt8(0)
  var ifFalse = UInt8(0)
  var operand: UInt32
}

private struct Program {
  var count: UInt16
  var instructions: UnsafePointer<Instruction>
}

/// From here on any system call but those of a plain end kills the process.
///
/// - Parameter isByLibrary: by the way of libseccomp, else by the older one.
func enterSandbox(isByLibrary: Bool) {
  let (load, jumpIfEqual, end) = (UInt16(0x20), UInt16(0x15), UInt16(0x06))
  let (kill, allow) = (UInt32(0x8000_0000), UInt32(0x7fff_0000))
  let instructions = [
    Instruction(code: load, operand: 0),
    Instruction(code: jumpIfEqual, ifTrue: 2, operand: writeCall),
    Instruction(code: jumpIfEqual, ifTrue: 1, operand: exitGroupCall),
    Instruction(code: end, operand: kill),
    Instruction(code: end, operand: allow),
  ]
  let (setNoNewPrivileges, setSeccomp, filterMode, setFilter) = (CInt(38), CInt(22), 2, 1)
  precondition(control(setNoNewPrivileges, 1, 0, 0, 0) == 0)
  instructions.withUnsafeBufferPointer {
    var program = Program(count: UInt16($0.count), instructions: $0.baseAddress!)
    withUnsafeMutablePointer(to: &program) {
      let address = Int(bitPattern: $0)
      if isByLibrary {
        precondition(systemCall(seccompCall, setFilter, 0, address) == 0)
      } else {
        precondition(control(setSeccomp, filterMode, address, 0, 0) == 0)
      }
    }
  }
}
