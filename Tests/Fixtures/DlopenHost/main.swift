// DlopenHost LIBRARY [unload | unload-unseen]
//
// Loads and unloads a library of C by the C library's own function, which no hook replaces. Then it loads a Swift library
// and lets it leave 59 objects of its own type behind, and unloads it with the second argument. After that it must not
// look up types, because the runtime would search the unloaded library.

import FixtureSupport

final class HostSurvivor {}

@inline(never) @_optimize(none)
func leaveSurvivors() {
  for _ in 0..<61 { leak(HostSurvivor()) }
}

typealias Close = @convention(c) (UnsafeMutableRawPointer?) -> CInt
let unseenClose = unsafeBitCast(dlsym(dlopen("libc.so.6", RTLD_NOW), "dlclose"), to: Close.self)

leaveSurvivors()
guard unseenClose(dlopen("libutil.so.1", RTLD_NOW)) == 0 else { exit(2) }
guard let library = dlopen(CommandLine.arguments[1], RTLD_NOW),
  let function = dlsym(library, "leaveGuests")
else {
  print(String(cString: dlerror()))
  exit(1)
}
let leaveGuests = unsafeBitCast(function, to: (@convention(c) (Int) -> Void).self)
leaveGuests(59)
print("{ \"HostSurvivor\": 61, \"Guest\": 59 }")
switch CommandLine.arguments.dropFirst(2).first {
case "unload": dlclose(library)
case "unload-unseen": _ = unseenClose(library)
default: break
}
