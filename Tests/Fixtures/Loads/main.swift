// Loads
//
// Leaves one object behind that was retained 21 times, twenty of them through weak and unowned references.

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

func plant() {
  let loaded = Loaded()
  let loader = Loader(loaded)
  leak(loaded)
  for _ in 0..<10 {
    leak(loader.weakly)
    leak(loader.unowned)
  }
}
plant()
