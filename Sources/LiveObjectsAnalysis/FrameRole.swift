/// What part a frame plays in a stack trace; decides what is shown of it.
extension SourceFrame {
  /// Code of the program, not of the toolchain or the system.
  package var isUsers: Bool {
    !isSystem && !isRuntimes && !isTestRunners && !isThreadStart && !SystemModules.contains(module)
  }

  /// Code that SwiftPM writes to find and run the tests of a package, by either of its build systems.
  var isTestRunners: Bool {
    guard let file else { return false }
    return file.holds("Tests.derived/") || file.holds("-test-runner.build/DerivedSources/")
  }

  /// The Swift runtime's C++ code, which has no module of its own in statically linked programs, and
  /// the helpers that the compiler puts into every program.
  var isRuntimes: Bool {
    guard let function else { return false }
    return ["swift_", "_swift_", "__swift_", "swift::"].contains(where: function.hasPrefix)
  }

  /// The C++ code that runs tasks, in whose place a person knows nothing.
  var isConcurrencyRuntimes: Bool { isRuntimes || module.hasPrefix("libswift") }

  /// What runs before a program's own code does. The C library exports no names for it.
  var isThreadStart: Bool {
    guard let function else { return module.hasPrefix("libc.so") || module.hasPrefix("libc-") }
    return ["_start", "start_thread", "clone", "clone3", "__clone", "__clone3"].contains(function)
      || function.hasPrefix("__libc_start_")
  }

  /// Code that the compiler made, an initialiser's allocating part for instance: whoever asked for
  /// the object is its caller.
  package var isCompilers: Bool {
    if isMacros { return true }
    guard let function else { return isGenerated }
    if isGenerated && !hasWrittenFunction { return true }
    if isThunk { return true }
    let name = function.prefix { $0 != "(" }
    return name == "__allocating_init" || name.hasSuffix(".__allocating_init")
  }

  /// What the compiler put between a closure and its callers.
  var isThunk: Bool { function?.hasPrefix("reabstraction thunk") == true }

  /// Makes what its caller asks for by the name of the type.
  var isInitializer: Bool {
    guard let name = function?.prefix(while: { $0 != "(" }) else { return false }
    return ["init", "__allocating_init"].contains { name == $0 || name.hasSuffix(".\($0)") }
  }

  /// Code that is often compiled into its callers, and makes containers, tasks and streams for them.
  var isStandardLibrarys: Bool {
    module.hasPrefix("_") || module.hasPrefix("libswift")
      || ["Swift", "Synchronization", "Observation"].contains(module)
  }

  private var isGenerated: Bool {
    file?.hasSuffix("<compiler-generated>") == true
  }

  /// The function's name is one that people give. The compiler marks single instructions of written
  /// functions as its own too, such as those that box a captured variable.
  private var hasWrittenFunction: Bool {
    guard let function, function.holds("(") else { return false }
    if function.hasPrefix("closure #") { return true }
    let name = function.trimmingPrefix("static ").prefix { $0 != "(" }
    let base = name.split(separator: ".").last
    return !name.contains(" ") && base != "init" && base != "$main"
  }

  /// What the compiler put into the main function, outside of any statement: it has a file and no line.
  package var isBareMain: Bool {
    function == "main" && file != nil && line == nil
  }

  /// Code that a macro wrote; Swift Testing's calls every test. Its file exists inside the compiler only.
  private var isMacros: Bool {
    file?.holds("@__swiftmacro_") == true
  }

  /// The function with its module: `closure #1 in Demo.Loader.load(completion:)`.
  ///
  /// C functions have no module, unknown functions nothing else.
  var qualifiedFunction: String {
    guard let function else { return module }
    guard function.holds("(") || function.holds(".") else { return function }
    let name = [" in ", " of ", "static "].compactMap { function.ranges(of: $0).last?.upperBound }.max()
    let start = name ?? function.startIndex
    return function[..<start] + "\(module)." + function[start...]
  }
}
