// swift-tools-version: 6.0
import PackageDescription

/// An ordinary package, which knows nothing of LiveObjects. Its tests leave things behind, or look as if they did.
let package = Package(
  name: "XCTestLeaks",
  targets: [
    .target(name: "Leaky"),
    .testTarget(
      name: "LeakyTests", dependencies: ["Leaky"],
      // Many tests look alike. Merged, they would have no line of their own.
      swiftSettings: [.unsafeFlags(["-Xllvm", "-swiftmergefunc-threshold=0"])]),
  ]
)
