// Sessions COMMAND…
//
// A service, with shell commands for its requests; its process id is their `$PPID`. For each it adds 100 sessions to its
// store and leaks one more, runs the command, and prints `status` and the command's exit status. The command `execute`
// has the program execute itself with the commands that follow; `restrict` has the system kill it for accepting a
// connection; `nest` has it keep an object of a type that is nested 600 levels deep.

import Glibc

final class Session {
  var me: Session?
}

final class Store {
  nonisolated(unsafe) static let shared = Store()
  var sessions: [Session] = []
}

@inline(never) @_optimize(none)
func leak() {
  let session = Session()
  session.me = session
}

struct Nested<Value> {
  var value: Value?
  var object: AnyObject?
}

final class Nest<Value> {
  var value: Value?
}

@inline(never) @_optimize(none)
func nested<Value>(_ type: Value.Type, _ depth: Int) -> AnyObject {
  depth == 0 ? Nest<Value>() : nested(Nested<Value>.self, depth - 1)
}

nonisolated(unsafe) var nest: AnyObject?

// Both have variable arguments in C, which Swift does not call.
@_silgen_name("prctl") private func setProcess(_: CInt, _: UInt, _: UInt, _: UInt, _: UInt) -> CInt
@_silgen_name("syscall") private func callSystem(_: Int, _: Int, _: Int, _: UnsafeRawPointer) -> Int

/// Installs a seccomp filter in all threads.
func forbidAccepting() -> Bool {
  #if arch(arm64)
    let (seccomp, accept4) = (277, 242)
  #else
    let (seccomp, accept4) = (317, 288)
  #endif
  func instruction(_ code: UInt64, _ value: UInt64, otherwiseSkip skipped: UInt64 = 0) -> UInt64 {
    code | skipped << 24 | value << 32
  }
  let (load, compare, end) = (UInt64(0x20), UInt64(0x15), UInt64(0x06))
  let (kill, allow) = (UInt64(0x8000_0000), UInt64(0x7fff_0000))
  let filter = [
    instruction(load, 0), instruction(compare, UInt64(accept4), otherwiseSkip: 1),
    instruction(end, kill), instruction(end, allow),
  ]
  return filter.withUnsafeBytes { instructions in
    var program = (count: UInt64(filter.count), start: instructions.baseAddress)
    let (noNewPrivileges, setFilter, inAllThreads) = (CInt(38), 1, 1)
    return setProcess(noNewPrivileges, 1, 0, 0, 0) == 0
      && callSystem(seccomp, setFilter, inAllThreads, &program) == 0
  }
}

let arguments = CommandLine.arguments
for (index, command) in arguments.enumerated().dropFirst() {
  for _ in 0..<100 { Store.shared.sessions.append(Session()) }
  leak()
  if command == "execute" {
    execv("/proc/self/exe", ([arguments[0]] + arguments[(index + 1)...]).map { strdup($0) } + [nil])
  }
  if command == "nest" {
    nest = nested(Int.self, 600)
    continue
  }
  if command == "restrict" {
    print("restricted", forbidAccepting())
    continue
  }
  print("status", system(command) >> 8)
  fflush(nil)
}
