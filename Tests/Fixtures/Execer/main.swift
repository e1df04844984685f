// Execer PROGRAM
//
// Leaves objects behind and executes PROGRAM. If that fails, it leaves more and ends as usual.

import FixtureSupport

final class BeforeExec {}
final class AfterFailedExec {}

@inline(never) @_optimize(none)
func leaveBeforeExec() {
  for _ in 0..<11 { leak(BeforeExec()) }
}

@inline(never) @_optimize(none)
func leaveAfterFailedExec() {
  for _ in 0..<13 { leak(AfterFailedExec()) }
}

leaveBeforeExec()
let program = strdup(CommandLine.arguments[1])!
execv(program, [program, nil])
leaveAfterFailedExec()
print("still here")
