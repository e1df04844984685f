// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Steady",
  targets: [
    .target(name: "Steady"),
    .testTarget(name: "SteadyXCTests", dependencies: ["Steady"]),
    .testTarget(name: "SteadyTestingTests", dependencies: ["Steady"]),
  ]
)
