// swift-tools-version: 6.0
import PackageDescription

// A server that leaks on one request path. `GrowingServer` knows nothing of LiveObjects and is watched with the preload
// library; `ObservedServer` links it, and publishes its live objects to Prometheus and pprof.
let package = Package(
  name: "GrowingServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LiveObjects", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
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
    .executableTarget(
      name: "ObservedServer",
      dependencies: [
        "Shop",
        .product(name: "LiveObjects", package: "LiveObjects"),
        .product(name: "LiveObjectsMetrics", package: "LiveObjects"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
