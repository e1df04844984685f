/// The part of a program that a frame's code belongs to.
enum FrameOrigin {
  /// The program's own code, also where the compiler generated it.
  case user
  /// Code that is often inlined into its callers, and allocates containers, tasks and streams for them.
  case standardLibrary
  /// The Swift runtime's C++ code, which has no module of its own in statically linked programs, and
  /// the helpers that the compiler emits into every program.
  case runtime
  /// Code that SwiftPM generates to find and run the tests of a package, by either of its build systems.
  case testRunner
  /// Code that runs before a program's own code. The C library exports no names for it.
  case threadStart
  /// Other libraries of the toolchain and the system.
  case system
}

extension SourceFrame {
  var origin: FrameOrigin {
    if isRuntime { return .runtime }
    if isTestRunner { return .testRunner }
    if isThreadStart { return .threadStart }
    if !isSystem && !SystemModules.contains(module) { return .user }
    return isStandardLibrary ? .standardLibrary : .system
  }

  /// Whether the frame is the program's own code, not that of the toolchain or the system.
  package var isUserCode: Bool { origin == .user }

  /// Whether the code is that of a library of C outside of Swift's toolchain, such as libc or libsqlite3.
  var isOfCLibrary: Bool {
    let ofToolchain = [
      "libFoundation", "lib_Foundation", "libdispatch", "libBlocksRuntime", "libXCTest", "libTesting",
      "lib_Testing", "libswift",
    ]
    return isSystem && module.hasPrefix("lib") && !ofToolchain.contains(where: module.hasPrefix)
  }

  private var isTestRunner: Bool {
    guard let file else { return false }
    let isGenerated = file.holds("Tests.derived/") || file.holds("-test-runner.build/DerivedSources/")
    return isGenerated && !isInlinedTest
  }

  /// Whether it is a test that the optimiser has inlined there: single instructions have no line, and the wrong file.
  private var isInlinedTest: Bool {
    guard line == nil, let name = function?.prefix(before: "(") else { return false }
    return name.components.last?.hasPrefix("test") == true
  }

  private var isRuntime: Bool {
    guard let function else { return false }
    return ["swift_", "_swift_", "__swift_", "swift::"].contains(where: function.hasPrefix)
  }

  private var isThreadStart: Bool {
    guard let function else { return module.hasPrefix("libc.so") || module.hasPrefix("libc-") }
    return ["_start", "start_thread", "clone", "clone3", "__clone", "__clone3"].contains(function)
      || function.hasPrefix("__libc_start_")
  }

  private var isStandardLibrary: Bool {
    module.hasPrefix("_") || module.hasPrefix("libswift")
      || ["Swift", "Synchronization", "Observation"].contains(module)
  }
}

// MARK: - Generated code

extension SourceFrame {
  /// Whether the compiler generated the code, an initialiser's allocating part for instance: the object was
  /// requested by its caller.
  package var isCompilerGenerated: Bool {
    if isMacroExpansion { return true }
    guard let function else { return isGenerated }
    if isGenerated && !hasWrittenFunction { return true }
    if isThunk { return true }
    let name = function.prefix(before: "(")
    return name == "__allocating_init" || name.hasSuffix(".__allocating_init")
  }

  /// Whether the frame is a reabstraction thunk, between a closure and its callers.
  var isThunk: Bool { function?.hasPrefix("reabstraction thunk") == true }

  /// Whether the function is an initialiser, which allocates what its caller requests.
  var isInitializer: Bool {
    guard let name = function?.prefix(before: "(") else { return false }
    return ["init", "__allocating_init"].contains { name == $0 || name.hasSuffix(".\($0)") }
  }

  private var isGenerated: Bool {
    file?.hasSuffix("<compiler-generated>") == true
  }

  /// Whether the function has a name from source code. The compiler marks single instructions of such
  /// functions as generated too, for example those that box a captured variable.
  private var hasWrittenFunction: Bool {
    guard let function, function.holds("(") else { return false }
    if function.hasPrefix("closure #") { return true }
    let name = function.trimmingPrefix("static ").prefix(before: "(")
    let base = name.components.last
    return !name.contains(" ") && base != "init" && base != "$main"
  }

  /// Whether the code is in the main function but outside of any statement: it has a file and no line.
  package var isBareMain: Bool {
    function == "main" && file != nil && line == nil
  }

  /// Whether the function is the program's entry point, the caller of all its code.
  var isEntryPoint: Bool {
    guard let function else { return false }
    return function == "main" || (function.hasPrefix("static ") && function.hasSuffix("main()"))
  }

  /// The name of the variable that the function initialises when it is first used; `nil` for other functions.
  var initializedVariable: Substring? {
    let prefix = "one-time initialization function for "
    guard let function, function.hasPrefix(prefix) else { return nil }
    return function.dropFirst(prefix.count)
  }

  /// Whether a macro generated the code; Swift Testing's calls every test. Its file exists inside the
  /// compiler only.
  private var isMacroExpansion: Bool {
    file?.holds("@__swiftmacro_") == true
  }

  /// The function with its module: `closure #1 in Demo.Loader.load(completion:)`.
  ///
  /// C functions have no module, unknown functions nothing else.
  var qualifiedFunction: String {
    guard let function else { return module }
    guard function.holds("(") || function.holds(".") else { return function }
    let name = [" in ", " of ", "static "].compactMap { function.end(ofLast: $0) }.max()
    let start = name ?? function.startIndex
    return function[..<start] + "\(module)." + function[start...]
  }
}

/// The modules of the Swift toolchain, and of LiveObjects, whose diffs and assertions call the measured code.
///
/// A list of names, since a statically linked program has the toolchain's code in its own image.
package enum SystemModules {
  package static func contains(_ module: some StringProtocol) -> Bool {
    module.hasPrefix("_") || names.contains(String(module))
  }

  private static let names: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization",
    "FoundationNetworking", "FoundationXML", "XCTest", "Testing", "Dispatch", "Synchronization",
    "Observation", "RegexBuilder", "Distributed", "Cxx", "CxxStdlib", "Glibc", "Musl",
    "LiveObjects", "LiveObjectsXCTest", "LiveObjectsTesting", "LeakAssertions",
  ]
}
