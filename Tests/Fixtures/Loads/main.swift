// Loads
//
// Leaves one object behind that was retained 22 times, 21 of them through weak and unowned references.

final class Loaded {}

final class Loader {
  weak var weakly: Loaded?
  unowned var unowned: Loaded

  init(_ loaded: Loaded) { (weakly, unowned) = (loaded, loaded) }
}

@inline(never)
func leak(_ object: Loaded?) {
  if let object { _ = Unmanaged.passRetained(object) }
}

// The compiler calls the second for the last use of an unowned reference, in few programs.
@_silgen_name("swift_unownedRetain")
func unownedRetain(_ object: UnsafeMutableRawPointer)
@_silgen_name("swift_unownedRetainStrongAndRelease")
func unownedRetainStrong(_ object: UnsafeMutableRawPointer)

@inline(never)
func leakUnowned(_ object: Loaded) {
  let address = Unmanaged.passUnretained(object).toOpaque()
  unownedRetain(address)
  unownedRetainStrong(address)
}

func plant() {
  let loaded = Loaded()
  let loader = Loader(loaded)
  leak(loaded)
  for _ in 0..<10 {
    leak(loader.weakly)
    leak(loader.unowned)
  }
  leakUnowned(loaded)
}
plant()
