import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsSystem

/// Names frames from the program's own files: with the toolchain's `llvm-symbolizer`, which knows files
/// and lines, or from the files' symbol tables where it is missing.
///
/// Nothing has to be done in the watched process, which may be long gone. Answers are kept, so one
/// symbolicator serves all captures of a run.
public final class BinarySymbolicator: Symbolicator {
  /// Human-readable sentences about names that are missing, with the reasons.
  public var notes: [String] { collectedNotes.sentences }

  private var collectedNotes = SymbolicationNotes()
  private let search: SymbolizerSearch
  private let origin: CaptureOrigin
  /// The environment at the start: later reads would race with threads of the program that change it.
  private let environment = Environment.variables(without: unwantedVariables)
  private let timeout: Duration
  private(set) var symbolizer: LLVMSymbolizer?
  let locator: BinaryLocator
  /// Whether a symbolizer has worked: without it, there are no lines, whatever a file contains.
  private var hasSymbolizer = false
  var known: [CodeAddress: [LLVMSymbolizer.Line]] = [:]
  /// Files that the symbolizer does not get: those of the toolchain and of the system, and files that may be
  /// another file than the one that ran.
  private(set) var withoutSymbolizer: Set<String> = []
  /// Addresses without a symbolizer, since there was none or it failed.
  private var unsettled: Set<CodeAddress> = []
  private var names: [String: FunctionName] = [:]
  private var sources: [CodeAddress: [SourceFrame]] = [:]
  /// `nil` for addresses without a symbol.
  var variables: [CodeAddress: String?] = [:]

  /// The addresses of methods that may be tests.
  var methodsByBinary: [String: [String: UInt64]] = [:]
  /// What is known of modules, and the binaries that it was found in.
  var modulesByName: [String: (binaries: [String], source: ModuleSource?)] = [:]
  /// The addresses of closures by symbol.
  var closuresByBinary: [String: [String: UInt64]] = [:]
  /// The mangled names of types by their module-qualified names.
  var typesByBinary: [String: [String: [String]]] = [:]
  /// The declarations of properties that were searched, and the binaries that they were found by.
  var declared: (binaries: [String], lines: [StoredProperty: SourceLine?]) = ([], [:])

  /// By source file.
  var storedResults: [String: StoredResults?] = [:]
  /// What is called for a property in all files of a folder.
  var statedResults: [StatedPlace: Set<String>] = [:]

  /// - Parameters:
  ///   - binaries: a folder that holds the files of a capture from another machine, at any depth; they are
  ///     identified by build id, or by name where there is none.
  ///   - origin: the origin of all captures.
  package convenience init(binaries: String? = nil, origin: CaptureOrigin = .unknown) {
    self.init(binaries: binaries, origin: origin, search: SymbolizerSearch())
  }

  /// - Parameter timeout: the time after which a symbolizer without an answer is killed.
  init(
    binaries: String?, origin: CaptureOrigin = .unknown, search: SymbolizerSearch,
    timeout: Duration = .seconds(20)
  ) {
    self.origin = origin
    self.search = search
    self.timeout = timeout
    locator = BinaryLocator(folder: binaries)
  }

  /// Names frames of several captures in one go, for later requests.
  package func prepare(_ requests: [(frames: Set<Frame>, capture: Capture)]) {
    let addresses = requests.reduce(into: Set<CodeAddress>()) { addresses, request in
      addresses.formUnion(codeAddresses(of: request.frames, in: request.capture).values)
    }
    let images = Set(requests.lazy.flatMap(\.capture.images).map(\.path))
    resolve(addresses, images: images.sorted())
  }

  public func prepare(_ frames: Set<Frame>, of capture: Capture) {
    prepare([(frames, capture)])
  }

  /// Begins a report of its own: says nothing of what earlier ones were about, and tries again what failed.
  package func beginReport() {
    collectedNotes = SymbolicationNotes()
    for address in unsettled { (known[address], sources[address]) = (nil, nil) }
    unsettled = []
  }

  public func symbolicate(_ frames: Set<Frame>, of capture: Capture) -> [Frame: [SourceFrame]] {
    let addresses = codeAddresses(of: frames, in: capture)
    resolve(Set(addresses.values), images: capture.images.map(\.path))
    noteMissingLines(of: addresses, in: capture)
    nameSymbols(at: addresses.values)
    return Dictionary(
      uniqueKeysWithValues: frames.map { frame in
        (frame, sourceFrames(of: frame, at: addresses[frame], in: capture))
      })
  }

  /// Notes files without debug information, only those with Swift code: the lines of a C library from the
  /// system or from a package are not needed.
  private func noteMissingLines(of addresses: [Frame: CodeAddress], in capture: Capture) {
    let own = addresses.filter { frame, _ in
      frame.image.map { !capture.images[$0].isSystem && !capture.images[$0].isLiveObjects } ?? false
    }
    for (binary, addresses) in Dictionary(grouping: Set(own.values), by: \.binary) {
      let named = addresses.compactMap { known[$0] }.joined()
      guard hasSymbolizer, !withoutSymbolizer.contains(binary), named.allSatisfy({ $0.line == nil }),
        let file = ELFFile(path: binary),
        file.holdsSwift, !file.holdsDebugInformation
      else { continue }
      collectedNotes.add(.lineless, binary)
    }
  }

  private func codeAddresses(of frames: Set<Frame>, in capture: Capture) -> [Frame: CodeAddress] {
    var addresses: [Frame: CodeAddress] = [:]
    for frames in Dictionary(grouping: frames, by: \.image).values {
      guard let image = capture.image(of: frames[0]), let binary = binary(of: image) else { continue }
      if mustNotBeAskedAbout(image, binary) { withoutSymbolizer.insert(binary) }
      for frame in frames {
        // A return address: the call lies before it.
        addresses[frame] = CodeAddress(binary: binary, address: frame.offset - min(frame.offset, 1))
      }
    }
    return addresses
  }

  /// llvm-symbolizer must not read untrusted files: it gets those that ran, and no others.
  private func mustNotBeAskedAbout(_ image: Image, _ binary: String) -> Bool {
    if image.isSystem { return true }
    guard image.buildID.isEmpty, origin == .unknown else { return false }
    if !image.isLiveObjects { collectedNotes.add(.withoutBuildID, binary) }
    return true
  }

  func binary(of image: Image) -> String? {
    switch locator.location(of: image) {
    case .file(let path, let otherBuilds):
      for other in otherBuilds { collectedNotes.add(.unusedBuild, other) }
      return path
    case .otherBuild:
      collectedNotes.add(.otherBuild, image.path)
    case .missing:
      // The kernel's own image is no file.
      if image.path != "linux-vdso.so.1" { collectedNotes.add(.missing, image.path) }
    }
    return nil
  }

  /// - Parameter images: the files of the processes.
  private func resolve(_ requested: Set<CodeAddress>, images: [String]) {
    // The answers become more with each test: only the request is searched for new ones.
    let addresses = requested.filter { known[$0] == nil }
    guard !addresses.isEmpty else { return }
    for address in addresses { known[address] = [] }
    let rest = addresses.subtracting(resolveWithoutLines(among: addresses))
    if !rest.isEmpty { resolveWithLines(rest, images) }
    locateClosures(among: addresses)
  }

  private func resolveWithLines(_ addresses: Set<CodeAddress>, _ images: [String]) {
    guard let symbolizer = symbolizer(forProcessWith: origin == .ownRun ? images : []) else {
      collectedNotes.add(.missingSymbolizer, "llvm-symbolizer")
      return resolveWithoutSymbolizer(addresses)
    }
    do {
      let lines = try symbolizer.symbolicate(Array(addresses))
      known.merge(lines) { _, new in new }
      hasSymbolizer = true
      resolveFromSymbolTables(addresses.subtracting(lines.keys))
    } catch {
      collectedNotes.add(.failedSymbolizer, "\(symbolizer.path) failed (\(error.reason))")
      resolveWithoutSymbolizer(addresses)
    }
  }

  private func resolveWithoutSymbolizer(_ addresses: Set<CodeAddress>) {
    unsettled.formUnion(addresses)
    resolveFromSymbolTables(addresses)
  }

  /// The symbolizer of earlier requests, as long as there is no better one.
  private func symbolizer(forProcessWith images: [String]) -> LLVMSymbolizer? {
    let path = search.symbolizer(forProcessWith: images)
    if symbolizer?.path != path {
      symbolizer = nil  // ended before another one begins
      symbolizer = path.map { LLVMSymbolizer(path: $0, environment: environment, timeout: timeout) }
    }
    return symbolizer
  }

  /// Names what gets no lines: code of the toolchain and of the system, whose symbols take llvm-symbolizer
  /// most of its time, files that it must not read, and asynchronous closures, for which a variable stands,
  /// the async function pointer.
  ///
  /// - Returns: the addresses that need nothing else.
  private func resolveWithoutLines(among addresses: Set<CodeAddress>) -> Set<CodeAddress> {
    var resolved: Set<CodeAddress> = []
    for (binary, addresses) in Dictionary(grouping: addresses, by: \.binary) {
      guard let file = ELFFile(path: binary) else { continue }
      let pointers = addresses.filter { !file.holdsCode(at: $0.address) }
      let code = withoutSymbolizer.contains(binary) ? Set(addresses).subtracting(pointers) : []
      resolve(pointers, fromSymbolsOf: file, .variables)
      resolve(code, fromSymbolsOf: file, .functions)
      resolved.formUnion(code.union(pointers))
    }
    return resolved
  }

  private func resolveFromSymbolTables(_ addresses: Set<CodeAddress>) {
    for (binary, addresses) in Dictionary(grouping: addresses, by: \.binary) {
      guard let file = ELFFile(path: binary) else { continue }
      resolve(addresses, fromSymbolsOf: file, .functions)
    }
  }

  private func resolve(
    _ addresses: some Collection<CodeAddress>, fromSymbolsOf file: ELFFile, _ kind: SymbolTable.Kind
  ) {
    guard !addresses.isEmpty else { return }
    let symbols = SymbolTable(of: file, kind).symbols(at: addresses.map(\.address))
    for address in addresses {
      let name = symbols[address.address].map { demangle(itaniumSymbol: $0) ?? $0 }
      known[address] = name.map { [.init(symbol: $0)] } ?? []
    }
  }

  private func sourceFrames(
    of frame: Frame, at address: CodeAddress?, in capture: Capture
  ) -> [SourceFrame] {
    if let address, let known = sources[address] { return known }
    let image = capture.image(of: frame)
    let lines = address.flatMap { known[$0] } ?? []
    let named = lines.map { sourceFrame($0, in: image) }
    let result = named.isEmpty ? [sourceFrame(.init(), in: image)] : named
    if let address { sources[address] = result }
    return result
  }

  private func sourceFrame(_ line: LLVMSymbolizer.Line, in image: Image?) -> SourceFrame {
    let name = line.symbol.map { functionName(of: $0, in: image) }
    // The debug information is that of one of the merged functions: not of this call's, as a rule.
    let isMerged = name?.isMerged ?? false
    return SourceFrame(
      function: name?.function, module: name?.module ?? image?.name ?? "unknown",
      file: isMerged ? nil : line.file, line: isMerged ? nil : line.line,
      isSystem: image?.isSystem ?? false)
  }

  private func functionName(of symbol: String, in image: Image?) -> FunctionName {
    // SwiftPM renames the entry point of an executable, so that tests can link it.
    if let image, symbol == image.name + "_main" { return FunctionName(undemangled: "main") }
    return names[symbol] ?? FunctionName(undemangled: symbol)
  }

  /// Demangles all symbols at addresses in one go.
  private func nameSymbols(at addresses: some Sequence<CodeAddress>) {
    let symbols = Set(addresses.compactMap { known[$0] }.joined().compactMap(\.symbol))
      .filter { names[$0] == nil }
    let demangled = demangle(symbols: symbols)
    for symbol in symbols {
      names[symbol] =
        demangled[symbol].map(FunctionName.init(demangled:)) ?? FunctionName(undemangled: symbol)
    }
  }
}

extension Frame {
  /// The beginning of a function, like a return address: the call lies before it.
  init(entry address: UInt64, of image: Int) { self.init(image: image, offset: address &+ 1) }
}

/// The symbolizer must not be watched itself, must not contact servers, and must print the expected format.
private let unwantedVariables = [
  "LD_PRELOAD", "LIVEOBJECTS_OPTIONS", "DEBUGINFOD_URLS", "LLVM_SYMBOLIZER_OPTS",
]

/// The origin of a capture, which decides whether the names of files in it are trusted. The caller sets it;
/// it is not read from the capture.
package enum CaptureOrigin: Sendable {
  /// Untrusted. No file that it names is executed, and the symbolizer reads no file that the build id does
  /// not identify.
  case unknown
  /// A process that the user ran, directly: the toolchain that it names is the one
  /// that the process ran with.
  case ownRun
}

extension Image {
  /// Whether it is one of this package's libraries, which users do not build.
  fileprivate var isLiveObjects: Bool { name.hasPrefix("libLiveObjects") }
}
