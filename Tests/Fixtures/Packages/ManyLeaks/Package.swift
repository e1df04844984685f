// swift-tools-version: 6.0
import PackageDescription

/// The tests of a network library: 15 of them leak, for two reasons.
let package = Package(
  name: "ManyLeaks",
  targets: [
    .target(name: "Wire"),
    .testTarget(name: "WireTests", dependencies: ["Wire"]),
  ]
)
