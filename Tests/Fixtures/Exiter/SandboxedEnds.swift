// Ends in a sandbox that the program creates.

import FixtureSupport

@_silgen_name("prctl") private func control(_ option: CInt, _: Int, _: Int, _: Int, _: Int) -> CInt
@_silgen_name("syscall") private func systemCall(_ number: Int, _: Int, _: Int, _: Int) -> Int

#if arch(x86_64)
  private let (writeCall, exitGroupCall, controlCall, seccompCall) = (1, 231, 157, 317)
  /// mmap, mprotect, munmap, brk, madvise, futex
  private let memoryCalls = [9, 10, 11, 12, 28, 202]
#else
  private let (writeCall, exitGroupCall, controlCall, seccompCall) = (64, 94, 167, 277)
  private let memoryCalls = [222, 226, 215, 214, 233, 98]
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

/// A filter that kills the process for any other system call than these.
private func filter(allowing calls: [Int]) -> [Instruction] {
  let (load, jumpIfEqual, end) = (UInt16(0x20), UInt16(0x15), UInt16(0x06))
  let (kill, allow) = (UInt32(0x8000_0000), UInt32(0x7fff_0000))
  let jumps = calls.enumerated().map { index, call in
    Instruction(code: jumpIfEqual, ifTrue: UInt8(calls.count - index), operand: UInt32(call))
  }
  return [Instruction(code: load, operand: 0)] + jumps
    + [Instruction(code: end, operand: kill), Instruction(code: end, operand: allow)]
}

enum SandboxEntry {
  case control
  /// The system call that libseccomp uses.
  case library
  /// A system call instruction of the C library, called without its wrapper.
  case instruction
}

private typealias SystemCall = @convention(c) (Int, Int, Int, Int) -> Int

private func ownSystemCall() -> SystemCall {
  unsafeBitCast(dlsym(dlopen("libc.so.6", RTLD_NOW), "syscall")!, to: SystemCall.self)
}

/// From here on any system call but those of a plain end, of the C library's allocator, and of one more sandbox, kills the
/// process.
func enterSandbox(by entry: SandboxEntry) {
  let instructions = filter(allowing: [writeCall, exitGroupCall, controlCall, seccompCall] + memoryCalls)
  let (setNoNewPrivileges, setSeccomp, filterMode, setFilter) = (CInt(38), CInt(22), 2, 1)
  precondition(control(setNoNewPrivileges, 1, 0, 0, 0) == 0)
  instructions.withUnsafeBufferPointer {
    var program = Program(count: UInt16($0.count), instructions: $0.baseAddress!)
    withUnsafeMutablePointer(to: &program) {
      let address = Int(bitPattern: $0)
      for _ in 1...2 {
        let result =
          switch entry {
          case .control: Int(control(setSeccomp, filterMode, address, 0, 0))
          case .library: systemCall(seccompCall, setFilter, 0, address)
          case .instruction: ownSystemCall()(seccompCall, setFilter, 0, address)
          }
        precondition(result == 0)
      }
    }
  }
}

/// So many objects that the recorder would need more memory for its records.
@inline(never) @_optimize(none)
func workWithObjects() {
  var objects: [Leftover] = []
  for _ in 0..<50_000 { objects.append(Leftover()) }
  objects.removeAll()
  for _ in 0..<50_000 { objects.append(Leftover()) }
}
