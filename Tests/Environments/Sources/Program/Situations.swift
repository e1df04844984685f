import Foundation
import Situations

/// Makes the situation of that name.
func run(situation name: String) {
  if let situation = situationsWithWork[name] {
    situation(workInC)
  } else if let situation = situations[name] {
    situation()
  } else {
    print("there is no situation \(name)")
    exit(99)
  }
}

private var situationsWithWork: [String: (@convention(c) () -> Void) -> Void] {
  [
    "fork-storm": { situation_fork_storm($0) },
    "vfork": { situation_vfork($0) },
    "spawn": { situation_spawn($0) },
    "daemonize": { situation_daemonize($0) },
    "fork-in-handler": { situation_fork_in_handler($0) },
    "coroutines": { situation_coroutines($0) },
    "alternate-stack": { situation_alternate_stack($0) },
    "small-stacks": { situation_small_stacks($0) },
    "many-threads": { situation_many_threads($0) },
    "threads-at-once": { situation_threads_at_once($0) },
  ]
}

private var situations: [String: () -> Void] {
  [
    "sandbox-errno": situation_sandbox_errno,
    "sandbox-trap": situation_sandbox_trap,
    "sandbox-kill": situation_sandbox_kill,
    "set-user": situation_set_user,
    "set-limits": situation_set_limits,
    "end-slowly": {
      keepObjects(count: 300_000)
      situation_end_slowly()
    },
    "crash-while-ending": {
      keepObjects(count: 300_000)
      situation_crash_while_ending()
    },
    "exit-in-handler": situation_exit_in_handler,
  ]
}
