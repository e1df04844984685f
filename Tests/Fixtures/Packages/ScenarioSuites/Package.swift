// swift-tools-version: 6.0
import PackageDescription

/// Every scenario as a test of both libraries. ScenarioTests runs them by `liveobjects test`.
let package = Package(
  name: "ScenarioSuites",
  platforms: [.macOS(.v13)],
  targets: ["XCTestScenarios", "TestingScenarios"].map { name in
    .testTarget(
      name: name, exclude: ["Scenarios/main.swift"],
      // Many scenarios have the same code. Merged functions would have one call site.
      swiftSettings: [.unsafeFlags(["-Xllvm", "-swiftmergefunc-threshold=0"])],
      // Debian's Observation of Swift 6.0 refers to a function that no library has, and never calls it.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-shlib-undefined"])])
  },
  swiftLanguageModes: [.v6]
)
