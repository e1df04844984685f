// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "Wire", products: [.library(name: "Wire", targets: ["Wire"])], targets: [.target(name: "Wire")])
