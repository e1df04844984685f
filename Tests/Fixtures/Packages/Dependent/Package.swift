// swift-tools-version: 6.0
import PackageDescription

/// The test commits the folder `Wire` first: SwiftPM checks it out as it does any dependency.
let package = Package(
  name: "Dependent",
  dependencies: [.package(url: "file://\(Context.packageDirectory)/Wire", branch: "main")],
  targets: [
    .target(name: "Dependent", dependencies: [.product(name: "Wire", package: "Wire")]),
    .testTarget(name: "DependentTests", dependencies: ["Dependent"]),
  ])
