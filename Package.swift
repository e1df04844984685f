// swift-tools-version: 6.0
import PackageDescription

/// Small programs that misbehave on purpose; tests run them.
let fixtures = [
  "DlopenHost", "Execer", "Exiter", "Forker", "MallocUses", "MemoryUses", "Overwriter", "RawBuffers",
  "Sessions", "StackStorm", "Stacks",
  "Survivors", "TaskStorm", "ThreadStorm",
].map { name in
  Target.executableTarget(
    name: name, dependencies: ["FixtureSupport"], path: "Tests/Fixtures/\(name)")
}

/// For what is loaded into other people's programs: older versions of valgrind cannot read the debug information that
/// clang writes for C, and give up. A flag that has clang write an older kind would keep dependents from resolving.
let withoutDebugInformation = ["-Xlinker", "--strip-debug"]

/// A companion shows the preload library one function, and all else of it binds to itself. It runs wherever it is: its
/// libraries are those that the test library has loaded, and its name does not have the build folder in it.
let companions = [("XCTestCompanion", ["XCTestSupport"]), ("TestingCompanion", [])].map {
  (name: String, more: [Target.Dependency]) in
  Target.target(
    name: name,
    dependencies: [
      "CCompanion", "TestWatching", "LiveObjects", "LiveObjectsCapture", "LiveObjectsAnalysis",
      "LiveObjectsReport", "LiveObjectsSymbolication",
    ] + more,
    exclude: ["exports.map"],
    linkerSettings: [
      .unsafeFlags(
        [
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/\(name)/exports.map",
          "-Xlinker", "-Bsymbolic", "-no-toolchain-stdlib-rpath",
          "-Xlinker", "-soname=libLiveObjects\(name).so",
        ] + withoutDebugInformation)
    ])
}

/// All that the C library has.
let gnu = CSetting.define("_GNU_SOURCE", to: "")

let package = Package(
  name: "LiveObjects",
  platforms: [.macOS(.v13)],
  products: [
    .library(name: "LiveObjects", targets: ["LiveObjects"]),
    .library(name: "LiveObjectsXCTest", targets: ["LiveObjectsXCTest"]),
    .library(name: "LiveObjectsTesting", targets: ["LiveObjectsTesting"]),
    .executable(name: "liveobjects", targets: ["LiveObjectsTool"]),
    .plugin(name: "DetectLeaks", targets: ["DetectLeaks"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // Its files include one another by folder: "records/records.h".
    .target(name: "CLiveObjects", cSettings: [gnu, .headerSearchPath(".")]),
    .target(
      name: "CLiveObjectsService", dependencies: ["CLiveObjects"],
      cSettings: [gnu, .headerSearchPath("."), .headerSearchPath("../CLiveObjects")]),
    .target(name: "CCompanion", cSettings: [gnu]),
    .target(name: "CSpawn", cSettings: [gnu, .headerSearchPath("../CLiveObjects")]),
    .target(name: "CLiveObjectsOptions", cSettings: [gnu]),
    .target(name: "LiveObjectsCapture"),
    .target(name: "LiveObjectsAnalysis", dependencies: ["LiveObjectsCapture"]),
    .target(name: "LiveObjectsSystem", dependencies: ["CSpawn"]),
    .target(
      name: "LiveObjectsSymbolication",
      dependencies: ["LiveObjectsSystem", "LiveObjectsCapture", "LiveObjectsAnalysis"]),
    .target(
      name: "LiveObjectsReport", dependencies: ["LiveObjectsCapture", "LiveObjectsAnalysis"],
      // Read by name, so that reports need no file beside the program.
      resources: [
        .embedInCode("Formats/HTML/Page/report.js"), .embedInCode("Formats/HTML/Page/report.css"),
      ]),
    .target(
      name: "LiveObjectsServices",
      dependencies: ["LiveObjectsCapture", "LiveObjectsAnalysis", "LiveObjectsReport"]),
    .target(
      name: "LiveObjects",
      dependencies: [
        "CLiveObjects", "CLiveObjectsService", "LiveObjectsSystem", "LiveObjectsCapture",
        "LiveObjectsAnalysis", "LiveObjectsReport", "LiveObjectsSymbolication",
      ]),
    .target(name: "CLiveObjectsStart", dependencies: ["CLiveObjects"], cSettings: [gnu]),
    .target(
      name: "LeakAssertions",
      dependencies: [
        "CLiveObjectsStart", "LiveObjects", "LiveObjectsSystem", "LiveObjectsCapture", "LiveObjectsAnalysis",
        "LiveObjectsReport", "LiveObjectsSymbolication",
      ]),
    .target(name: "XCTestSupport", dependencies: ["LiveObjects"]),
    .target(
      name: "LiveObjectsXCTest",
      dependencies: ["CLiveObjectsStart", "LiveObjects", "LeakAssertions", "XCTestSupport"]),
    .target(
      name: "LiveObjectsTesting", dependencies: ["CLiveObjectsStart", "LiveObjects", "LeakAssertions"]),
    .target(
      name: "TestWatching",
      dependencies: [
        "CCompanion", "LiveObjects", "LiveObjectsCapture", "LiveObjectsAnalysis", "LiveObjectsReport",
        "LiveObjectsSymbolication", "LiveObjectsSystem",
      ]),
    .executableTarget(
      name: "LiveObjectsTool",
      dependencies: [
        "CLiveObjectsOptions", "LiveObjectsSystem", "LiveObjectsCapture", "LiveObjectsAnalysis",
        "LiveObjectsReport", "LiveObjectsServices", "LiveObjectsSymbolication",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .plugin(
      name: "DetectLeaks",
      capability: .command(
        intent: .custom(
          verb: "detect-leaks", description: "Runs the tests and reports what they left behind."))),
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .target(
      name: "CaptureFixtures", dependencies: ["LiveObjectsCapture", "LiveObjectsAnalysis"],
      path: "Tests/CaptureFixtures"),
    .target(name: "FixtureSupport", path: "Tests/Fixtures/FixtureSupport"),
    .executableTarget(
      name: "SnapshotStorm", dependencies: ["FixtureSupport", "LiveObjects"],
      path: "Tests/Fixtures/SnapshotStorm"),
    .testTarget(
      name: "ExactnessTests", dependencies: ["LiveObjectsCapture", "TestSupport"]),
    .testTarget(
      name: "LiveObjectsCaptureTests", dependencies: ["LiveObjectsCapture", "CaptureFixtures"]),
    .testTarget(
      name: "LiveObjectsAnalysisTests", dependencies: ["LiveObjectsAnalysis", "CaptureFixtures"]),
    .testTarget(
      name: "LiveObjectsSymbolicationTests",
      dependencies: [
        "LiveObjectsSystem", "LiveObjectsSymbolication", "CaptureFixtures", "TestSupport",
      ],
      // Which the linker of Debian's Swift 6.0 leaves out.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--build-id=sha1"], .when(platforms: [.linux]))]),
    .testTarget(
      name: "LiveObjectsReportTests", dependencies: ["LiveObjectsReport", "CaptureFixtures", "TestSupport"],
      exclude: ["Golden"]),
    .testTarget(
      name: "LiveObjectsServicesTests", dependencies: ["LiveObjectsServices", "CaptureFixtures"]),
    .testTarget(
      name: "LiveObjectsTests", dependencies: ["LiveObjects", "LiveObjectsSystem", "CaptureFixtures"]),
    .testTarget(
      name: "LiveObjectsToolTests",
      dependencies: [
        "LiveObjectsTool", "LiveObjectsReport", "LiveObjectsSymbolication", "CaptureFixtures", "TestSupport",
      ]),
    .testTarget(name: "DocumentTests", dependencies: ["TestSupport"], exclude: ["API"]),
  ] + fixtures,
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c17
)

#if os(Linux)
  package.products.append(
    .library(name: "LiveObjectsPreload", type: .dynamic, targets: ["LiveObjectsPreload"]))
  package.products += companions.map {
    .library(name: "LiveObjects\($0.name)", type: .dynamic, targets: [$0.name])
  }
  package.targets += companions
  package.targets += [
    .target(
      name: "LiveObjectsPreload",
      dependencies: ["CLiveObjects", "CLiveObjectsService", "CLiveObjectsOptions", "CCompanion", "CSpawn"],
      cSettings: [
        gnu, .headerSearchPath("."), .headerSearchPath("../CLiveObjects"),
        .headerSearchPath("../CLiveObjectsService"),
      ],
      // The library lives in programs of any kind, so it needs libc and nothing else: no start
      // files of an executable, and no Swift runtime ("Embedded" says that to the driver). And
      // it binds to itself, whatever the program exports under the same names.
      linkerSettings: [
        .unsafeFlags(
          [
            "-nostartfiles", "-enable-experimental-feature", "Embedded", "-Xlinker", "-Bsymbolic",
          ] + withoutDebugInformation)
      ]),
    .testTarget(name: "AssertionTests", dependencies: ["TestSupport"]),
    .testTarget(name: "CompanionTests", dependencies: ["TestSupport"]),
    .testTarget(name: "PreloadTests", dependencies: ["TestSupport"]),
    .testTarget(
      name: "ScenarioTests",
      dependencies: ["LiveObjectsAnalysis", "LiveObjectsReport", "LiveObjectsSymbolication", "TestSupport"],
      exclude: ["Fingerprints.txt"]),
    .executableTarget(
      name: "Scenarios", path: "Tests/Fixtures/Scenarios",
      // Many scenarios have equal code. Merged, their call sites would be one.
      swiftSettings: [.unsafeFlags(["-Xllvm", "-swiftmergefunc-threshold=0"])],
      // Debian's Observation of Swift 6.0 refers to a function that no library has, and never calls it.
      linkerSettings: [.unsafeFlags(["-Xlinker", "--allow-shlib-undefined"])]),
  ]
#endif

// The current versions of swift-metrics need this compiler.
#if compiler(>=6.2)
  package.products.append(.library(name: "LiveObjectsMetrics", targets: ["LiveObjectsMetrics"]))
  package.dependencies.append(.package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"))
  package.targets += [
    .target(
      name: "LiveObjectsMetrics",
      dependencies: [
        "LiveObjects", "LiveObjectsAnalysis", "LiveObjectsCapture",
        .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    .testTarget(
      name: "LiveObjectsMetricsTests",
      dependencies: [
        "LiveObjects", "LiveObjectsAnalysis", "LiveObjectsCapture", "LiveObjectsMetrics",
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ]),
  ]
#endif

// scripts/test runs the tests with optimisation for the sake of the code that they test. Theirs matters only where it is
// what is watched; elsewhere it only takes time.
for target in package.targets where target.type == .test && target.name != "LiveObjectsTests" {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}
