import LiveObjectsAnalysis
import LiveObjectsCapture

extension BinarySymbolicator {
  /// Functions of a module that are tried: those of the compiler have no file.
  private static let mostFunctions = 1 << 10

  /// Finds files by functions of the modules, which need not be in any stack trace. Reads each binary's symbols once for
  /// a module, whether it is found or not.
  public func sources(ofModules modules: Set<String>, in capture: Capture) -> [String: ModuleSource] {
    let binaries = programBinaries(of: capture)
    let paths = binaries.map(\.path)
    let unknown = modules.filter { modulesByName[$0]?.binaries != paths }
    let functions = unknown.isEmpty ? [:] : Self.withoutExtensions(Self.functions(of: unknown, in: binaries))
    let named = symbolicate(Set(functions.values.joined()), of: capture)
    for module in unknown {
      let files = (functions[module] ?? []).compactMap { named[$0]?.last?.file }
      modulesByName[module] = (paths, ModuleSource(files: files))
    }
    return modules.reduce(into: [:]) { $0[$1] = modulesByName[$1]?.source }
  }

  /// A file of the program's own.
  struct ProgramBinary {
    var path: String
    var image: Int
  }

  func programBinaries(of capture: Capture) -> [ProgramBinary] {
    capture.images.enumerated().compactMap { index, image in
      guard !image.isSystem, case .file(let path, _) = locator.location(of: image) else { return nil }
      return ProgramBinary(path: path, image: index)
    }
  }

  private struct Function {
    var symbol: String
    var frame: Frame
  }

  /// An extension in another module has its type's module in its name, and is in a file of its own module.
  private static func withoutExtensions(_ functions: [String: [Function]]) -> [String: [Frame]] {
    let names = demangle(symbols: Set(functions.values.joined().lazy.map(\.symbol)))
    return functions.mapValues { functions in
      functions.filter { names[$0.symbol].map { !$0.contains("(extension in ") } ?? false }.map(\.frame)
    }
  }

  private static func functions(of modules: Set<String>, in binaries: [ProgramBinary]) -> [String: [Function]]
  {
    var functions: [String: [Function]] = [:]
    for binary in binaries {
      guard let file = ELFFile(path: binary.path) else { continue }
      for (address, symbol) in SymbolTable(of: file, .functions).all {
        guard let module = module(of: symbol), modules.contains(module),
          functions[module, default: []].count < mostFunctions
        else { continue }
        let function = Function(symbol: symbol, frame: Frame(entry: address, of: binary.image))
        functions[module, default: []].append(function)
      }
    }
    return functions
  }

  /// `Atomics` of `$s7Atomics13ManagedAtomicCfD`.
  private static func module(of symbol: String) -> String? {
    guard symbol.hasPrefix("$s") else { return nil }
    let digits = symbol.utf8.dropFirst(2).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let count = Int(Substring(digits)), count > 0 else { return nil }
    let name = symbol.utf8[digits.endIndex...].prefix(count)
    return name.count == count ? String(Substring(name)) : nil
  }
}

extension ModuleSource {
  /// - Parameter files: of functions of the module, as debug information has them.
  fileprivate init?(files: [String]) {
    if let file = files.first(where: { $0.hasSuffix(".swift") }) {
      self = .file(file)
    } else if files.contains(where: { $0.hasSuffix("<compiler-generated>") }) {
      self = .generated
    } else {
      return nil
    }
  }
}
