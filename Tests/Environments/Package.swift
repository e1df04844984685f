// swift-tools-version: 6.0
import PackageDescription

// The programs that `scripts/environments` runs, plain and watched. They do not use LiveObjects.
let package = Package(
  name: "Environments",
  products: [.library(name: "Plugin", type: .dynamic, targets: ["Plugin"])],
  targets: [
    // Valgrind 3.19 gives up on a program with clang's default, version 5.
    .target(name: "Situations", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
    .target(name: "Plugin"),
    .executableTarget(name: "Program", dependencies: ["Situations"]),
    .testTarget(name: "ProgramTests"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)
