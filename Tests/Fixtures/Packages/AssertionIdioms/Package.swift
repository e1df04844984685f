// swift-tools-version: 6.0
import PackageDescription

/// Tests that use the assertions, on leaking code, on the same code fixed, and on every scenario.
/// AssertionTests and ScenarioTests run them.
let package = Package(
  name: "AssertionIdioms",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "LiveObjects", path: "../../../..")],
  targets: [
    .target(name: "Demo"),
    .target(name: "Sandbox"),
    .testTarget(
      name: "DemoXCTests",
      dependencies: ["Demo", "Sandbox", .product(name: "LiveObjectsXCTest", package: "LiveObjects")]),
    .testTarget(
      name: "DemoTestingTests",
      dependencies: ["Demo", .product(name: "LiveObjectsTesting", package: "LiveObjects")]),
    .testTarget(
      name: "MixedTests",
      dependencies: [
        "Demo",
        .product(name: "LiveObjectsXCTest", package: "LiveObjects"),
        .product(name: "LiveObjectsTesting", package: "LiveObjects"),
      ]),
    .testTarget(
      name: "AssertedScenarios",
      dependencies: [
        .product(name: "LiveObjectsXCTest", package: "LiveObjects"),
        .product(name: "LiveObjectsTesting", package: "LiveObjects"),
      ], exclude: ["Scenarios/main.swift"],
      // Many scenarios have the same code. Merged functions would have one call site.
      swiftSettings: [.unsafeFlags(["-Xllvm", "-swiftmergefunc-threshold=0"])],
      // Debian's Observation of Swift 6.0 refers to a function that no library has, and never calls it.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-shlib-undefined"])]),
  ],
  swiftLanguageModes: [.v6]
)
