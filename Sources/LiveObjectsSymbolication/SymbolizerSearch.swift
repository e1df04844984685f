#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The search for an llvm-symbolizer.
struct SymbolizerSearch {
  /// The folders to search, in order.
  var folders: [String]

  /// The folders of `PATH`, and those of distributions, without relative ones: the current folder is
  /// untrusted.
  init() {
    folders = (Environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    folders.removeAll { !$0.hasPrefix("/") }
  }

  init(folders: [String]) {
    self.folders = folders
  }

  /// - Parameter images: the files of a process that ran here; the toolchain whose libraries are among them
  ///   comes first, because its symbolizer knows the debug information that its compiler wrote. Never those
  ///   of an untrusted capture: the program that is found is executed.
  /// - Returns: the path.
  func symbolizer(forProcessWith images: [String]) -> String? {
    let toolchains = images.compactMap(Self.toolchain(ofLibrary:)) + compilerFolders
    let exact = (toolchains + folders).map { $0 + "/llvm-symbolizer" }
    return exact.first(where: Self.isExecutable) ?? versioned
  }

  /// `…/usr/lib/swift/linux/libswiftCore.so` is of the toolchain with `…/usr/bin`.
  private static func toolchain(ofLibrary path: String) -> String? {
    let suffix = "/lib/swift/linux/libswiftCore.so"
    return path.hasPrefix("/") && path.hasSuffix(suffix) ? path.dropLast(suffix.utf8.count) + "/bin" : nil
  }

  /// The folders of the compilers that are found, which are often links into the toolchain.
  private var compilerFolders: [String] {
    folders.flatMap { [$0 + "/swift", $0 + "/swiftc"] }
      .compactMap(\.resolvingLinks)
      .map(\.parentFolder)
  }

  /// Distributions name it after its version: `llvm-symbolizer-19`. The newest that is there.
  private var versioned: String? {
    (11...30).reversed().lazy
      .flatMap { version in folders.map { "\($0)/llvm-symbolizer-\(version)" } }
      .first(where: Self.isExecutable)
  }

  private static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
