// swift-tools-version: 6.0
import PackageDescription

/// An ordinary package, which does not use LiveObjects. Its tests run in parallel, and leak, or nearly do.
let package = Package(
  name: "TestingLeaks",
  targets: [
    .target(name: "Leaky"),
    .testTarget(name: "LeakyTests", dependencies: ["Leaky"]),
  ]
)
