// DlopenHost LIBRARY [unload]
//
// Loads a Swift library long after the start and lets it leave 59 objects of its own type behind, then unloads it with
// the second argument. After that it must not look up types, because the runtime would search the unloaded library.

import FixtureSupport

final class HostSurvivor {}

@inline(never) @_optimize(none)
func leaveSurvivors() {
  for _ in 0..<61 { leak(HostSurvivor()) }
}

leaveSurvivors()
guard let library = dlopen(CommandLine.arguments[1], RTLD_NOW),
  let function = dlsym(library, "leaveGuests")
else {
  print(String(cString: dlerror()))
  exit(1)
}
let leaveGuests = unsafeBitCast(function, to: (@convention(c) (Int) -> Void).self)
leaveGuests(59)
print("{ \"HostSurvivor\": 61, \"Guest\": 59 }")
if CommandLine.arguments.count > 2 { dlclose(library) }
