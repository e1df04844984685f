// swift-tools-version: 6.0
import PackageDescription

/// An ordinary package, which does not use LiveObjects. Its tests leak, or nearly do.
let package = Package(
  name: "XCTestLeaks",
  targets: [
    .target(name: "Leaky"),
    .testTarget(
      name: "LeakyTests", dependencies: ["Leaky"],
      // Many tests have the same code. Merged functions would have no line of their own.
      swiftSettings: [.unsafeFlags(["-Xllvm", "-swiftmergefunc-threshold=0"])]),
  ]
)
