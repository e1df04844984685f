/// The modules of the Swift toolchain, and of LiveObjects, whose diffs and assertions call the measured code.
///
/// A list of names, since a statically linked program has the toolchain's code in its own image.
enum SystemModules {
  static func contains(_ module: some StringProtocol) -> Bool {
    module.hasPrefix("_") || names.contains(String(module))
  }

  private static let names: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization",
    "FoundationNetworking", "FoundationXML", "XCTest", "Testing", "Dispatch", "Synchronization",
    "Observation", "RegexBuilder", "Distributed", "Runtime", "Cxx", "CxxStdlib", "Glibc", "Musl",
    "LiveObjects", "LiveObjectsXCTest", "LiveObjectsTesting", "LeakAssertions",
  ]
}
