import TestSupport
import Testing

/// The library as a file: a program must be able to load it wherever it runs.
struct LibraryFileTests {
  @Test func dependsOnLibcOnly() throws {
    let run = try runProgram("/usr/bin/env", ["readelf", "-d", BuiltProducts.preloadLibrary])
    let needed = run.standardOutput.split(separator: "\n").filter { $0.contains("(NEEDED)") }
    #expect(needed.count == 1)
    #expect(needed.first?.contains("[libc.so.6]") == true)
  }

  @Test func containsNoDebugInformation() throws {
    let run = try runProgram("/usr/bin/env", ["readelf", "-SW", BuiltProducts.preloadLibrary])
    #expect(run.standardOutput.contains(".symtab"))
    #expect(!run.standardOutput.contains(".debug_"))
  }

  /// A companion works wherever it is installed. The linker gives a library without a name that of its output file.
  @Test(arguments: ["LiveObjectsXCTestCompanion", "LiveObjectsTestingCompanion"])
  func containsNoFolder(library: String) throws {
    let run = try runProgram("/usr/bin/env", ["readelf", "-dV", BuiltProducts.library(library)])
    #expect(run.standardOutput.contains("Library soname: [lib\(library).so]"))
    #expect(run.standardOutput.matches(of: /(?:runpath: \[|Name: ).*\/.*/).isEmpty)
  }

  /// Exported symbols of a library take part in the symbol lookup of the host.
  static let exported = [
    "LiveObjectsPreload": ["_Exit", "_exit", "dlclose", "liveobj_preloaded_table", "prctl", "syscall"],
    "LiveObjectsXCTestCompanion": ["liveobj_xctest_companion_start"],
    "LiveObjectsTestingCompanion": ["liveobj_testing_companion_start"],
  ]

  @Test(arguments: exported.keys.sorted())
  func exportsNothingElse(library: String) throws {
    let run = try runProgram(
      "/usr/bin/env", ["nm", "--dynamic", "--defined-only", "--format=posix", BuiltProducts.library(library)])
    // A lower-case type is a local symbol; the names of the linker's own begin with these.
    let symbols = run.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
      .filter { $0[1].allSatisfy(\.isUppercase) && !["__bss_start", "_edata", "_end"].contains($0[0]) }
      .map { String($0[0]) }
    #expect(symbols.sorted() == Self.exported[library])
  }
}
