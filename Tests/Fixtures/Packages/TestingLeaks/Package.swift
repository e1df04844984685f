// swift-tools-version: 6.0
import PackageDescription

/// An ordinary package, which knows nothing of LiveObjects. Its tests run beside each other, and leave things behind,
/// or look as if they did.
let package = Package(
  name: "TestingLeaks",
  targets: [
    .target(name: "Leaky"),
    .testTarget(name: "LeakyTests", dependencies: ["Leaky"]),
  ]
)
