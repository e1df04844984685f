// One program for all environments: threads, leaks, a child process, Foundation and a plugin; then, if an argument
// names it, a situation. It prints the same every time and ends with status 5.
// Usage: Program [SITUATION | heap COUNT | large-heap]

import Foundation
import Situations

let arguments = CommandLine.arguments

runThreads()
print("child:", outputOfChild())
print("Foundation:", try roundTrip())
print("plugin:", runPlugin())

switch arguments.dropFirst().first {
case nil: break
case "heap": keepObjects(count: Int(arguments[2])!)
case "large-heap": keepLargeHeap()
case "plugin-loop": loadPluginRepeatedly()
case "exec-chain": situation_exec()
case "crash": fatalError("on purpose")
case let name?: run(situation: name)
}

print("done")
exit(5)
