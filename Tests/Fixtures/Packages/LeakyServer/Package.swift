// swift-tools-version: 6.0
import PackageDescription

// A server with three leaks, for scripts/leaky-server.
let package = Package(
  name: "LeakyServer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0")],
  targets: [
    .executableTarget(
      name: "Server", dependencies: [.product(name: "Hummingbird", package: "hummingbird")])
  ],
  swiftLanguageModes: [.v6]
)
