// swift-tools-version: 6.0
import PackageDescription

/// Tests that use the assertions, on code that leaks and on the same code mended. AssertionTests runs them.
let package = Package(
  name: "AssertionIdioms",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "LiveObjects", path: "../../../..")],
  targets: [
    .target(name: "Demo"),
    .testTarget(
      name: "DemoXCTests",
      dependencies: ["Demo", .product(name: "LiveObjectsXCTest", package: "LiveObjects")]),
    .testTarget(
      name: "DemoTestingTests",
      dependencies: ["Demo", .product(name: "LiveObjectsTesting", package: "LiveObjects")]),
  ],
  swiftLanguageModes: [.v6]
)
