// swift-tools-version: 6.0
import PackageDescription

// A server that leaks on one request path. `GrowingServer` knows nothing of LiveObjects and is watched with the preload
// library.
let package = Package(
  name: "GrowingServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
  ],
  targets: [
    .target(
      name: "Shop",
      dependencies: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
    .executableTarget(name: "GrowingServer", dependencies: ["Shop"]),
  ],
  swiftLanguageModes: [.v6]
)
