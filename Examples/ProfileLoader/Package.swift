// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "ProfileLoader",
  products: [
    .library(name: "ProfileLoader", targets: ["ProfileLoader"])
  ],
  targets: [
    .target(name: "ProfileLoader"),
    .testTarget(name: "ProfileLoaderTests", dependencies: ["ProfileLoader"]),
  ],
  swiftLanguageModes: [.v6]
)
