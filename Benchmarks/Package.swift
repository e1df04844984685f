// swift-tools-version: 6.0
import PackageDescription

// Programs that `scripts/bench` and `scripts/bench-pauses` run with and without tracking. Only SnapshotTime knows LiveObjects.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v13)],
  dependencies: [
    .package(name: "LiveObjects", path: "..")
  ],
  targets: [
    .executableTarget(name: "BinaryTrees"),
    .executableTarget(name: "StringsAndDictionaries"),
    .executableTarget(name: "Retains"),
    .executableTarget(name: "LiveHeap"),
    .executableTarget(name: "LiveGraph"),
    .executableTarget(name: "LargeHeap"),
    .executableTarget(
      name: "SnapshotTime", dependencies: [.product(name: "LiveObjects", package: "LiveObjects")]),
    .executableTarget(name: "Measure"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)
