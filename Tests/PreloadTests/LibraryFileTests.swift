import TestSupport
import Testing

/// The library as a file: a program must be able to load it wherever it runs.
struct LibraryFileTests {
  @Test func needsLibcAlone() throws {
    let run = try runProgram("/usr/bin/env", ["readelf", "-d", BuiltProducts.preloadLibrary])
    let needed = run.standardOutput.split(separator: "\n").filter { $0.contains("(NEEDED)") }
    #expect(needed.count == 1)
    #expect(needed.first?.contains("[libc.so.6]") == true)
  }

  @Test func holdsNoDebugInformation() throws {
    let run = try runProgram("/usr/bin/env", ["readelf", "-SW", BuiltProducts.preloadLibrary])
    #expect(run.standardOutput.contains(".symtab"))
    #expect(!run.standardOutput.contains(".debug_"))
  }
}
