import LiveObjectsAnalysis
import LiveObjectsCapture
import LiveObjectsSystem

extension BinarySymbolicator {
  /// Functions that are tried, of a type and of a module.
  private static let (mostOfType, mostOfModule) = (1 << 5, 1 << 10)
  /// Source files that are read for a type.
  private static let mostFiles = 1 << 8

  /// Finds declarations in the source files: debug information has no lines of properties.
  public func declarations(
    of properties: Set<StoredProperty>, in capture: Capture
  ) -> [StoredProperty: SourceLine] {
    let binaries = programBinaries(of: capture)
    let paths = binaries.map(\.path)
    if declared.binaries != paths { declared = (paths, [:]) }
    let unknown = properties.filter { declared.lines[$0] == nil }
    if !unknown.isEmpty {
      let found = find(unknown, in: binaries, capture)
      for property in unknown { declared.lines[property] = .some(found[property]) }
    }
    return properties.reduce(into: [:]) { $0[$1] = declared.lines[$1] ?? nil }
  }

  private func find(
    _ properties: Set<StoredProperty>, in binaries: [ProgramBinary], _ capture: Capture
  ) -> [StoredProperty: SourceLine] {
    let types = Set(properties.lazy.flatMap(\.types).compactMap(ProgramType.init))
    let symbols = types.map { type in (type, binaries.flatMap { self.symbols(of: type, in: $0) }) }
    let files = sourceFiles(
      ofFunctionsWith: symbols.flatMap { type, symbols in symbols.map { (prefix: $0, of: type) } },
      atMost: Self.mostOfType, in: binaries, capture)
    var sources: [String: DeclaredProperties?] = [:]
    let found = lines(of: properties, &sources) { files[$0] ?? [] }
    // Optimised, a structure may have no function of its own left.
    let rest = properties.filter { found[$0] == nil }
    let known = Set(symbols.lazy.filter { !$0.1.isEmpty }.map(\.0))
    let modules = Set(
      rest.lazy.flatMap(\.types).compactMap(ProgramType.init).filter(known.contains).map(\.module))
    guard !modules.isEmpty else { return found }
    let ofModules = sourceFiles(
      ofFunctionsWith: modules.map { (prefix: "$s\($0.utf8.count)\($0)", of: $0) },
      atMost: Self.mostOfModule, in: binaries, capture)
    return found.merging(lines(of: rest, &sources) { ofModules[$0.module] ?? [] }) { first, _ in first }
  }

  /// The declarations in the files of the types. The first type that declares the property counts.
  private func lines(
    of properties: Set<StoredProperty>, _ sources: inout [String: DeclaredProperties?],
    files: (ProgramType) -> Set<String>
  ) -> [StoredProperty: SourceLine] {
    var lines: [StoredProperty: SourceLine] = [:]
    for property in properties {
      for type in property.types.compactMap(ProgramType.init) where lines[property] == nil {
        lines[property] = line(of: property.name, in: type, files(type), &sources)
      }
    }
    return lines
  }

  /// The line in one of the files; `nil` unless exactly one fits: private types of several files have equal names.
  private func line(
    of property: String, in type: ProgramType, _ files: Set<String>,
    _ sources: inout [String: DeclaredProperties?]
  ) -> SourceLine? {
    let lines = files.sorted().prefix(Self.mostFiles).compactMap { file -> SourceLine? in
      let source = sources[file] ?? sourceText(ofFileAt: file).map(DeclaredProperties.init)
      sources[file] = .some(source)
      return source?.line(of: property, in: type.name).map { SourceLine(file: file, line: $0) }
    }
    return lines.count == 1 ? lines[0] : nil
  }
}

extension BinarySymbolicator {
  public func stores(_ callee: String, in property: String, at line: SourceLine) -> Bool {
    // A folder is read only if a file in it may be.
    guard let results = results(inFileAt: line.file) else { return false }
    if results.has(callee, in: property, at: line.line) { return true }
    let place = StatedPlace(folder: line.file.parentFolder, property: property)
    let callees = statedResults[place] ?? statedCallees(at: place)
    statedResults[place] = callees
    return callees.contains(callee)
  }

  private func results(inFileAt path: String) -> StoredResults? {
    let results = storedResults[path] ?? sourceText(ofFileAt: path).map(StoredResults.init)
    storedResults[path] = .some(results)
    return results
  }

  /// A file is tokenised only if it may have one: to tokenise 250 files of 8 MB in all took 0.4 s.
  private func statedCallees(at place: StatedPlace) -> Set<String> {
    let names = entries(ofFolder: place.folder).map(\.name).filter { $0.hasSuffix(".swift") }
    return names.sorted().prefix(Self.mostFiles).reduce(into: []) { callees, name in
      let path = "\(place.folder)/\(name)"
      guard let file = locator.mounts.storedFile(path), SourceText.file(at: file, has: ".\(place.property)")
      else {
        return
      }
      callees.formUnion(results(inFileAt: path)?.callees(statedIn: place.property) ?? [])
    }
  }

  /// Of a regular file on storage: debug information may name any.
  func sourceText(ofFileAt path: String) -> SourceText? {
    locator.mounts.storedFile(path).flatMap(SourceText.init(ofFileAt:))
  }
}

// MARK: - Types and functions

/// A type by its module and its name within it, with the types around it: `Outer.Inner`.
private struct ProgramType: Hashable {
  var module: String
  var name: String

  /// - Parameter name: demangled, without arguments: `Demo.Outer.Inner`.
  init?(_ name: String) {
    let parts = FunctionName(demangled: name)
    guard let module = parts.module else { return nil }
    (self.module, self.name) = (module, parts.function)
  }
}

extension BinarySymbolicator {
  /// The mangled names of the type, with which those of its functions begin. Private types of several files have the
  /// same name.
  private func symbols(of type: ProgramType, in binary: ProgramBinary) -> [String] {
    let types = typesByBinary[binary.path] ?? Self.types(in: binary.path)
    typesByBinary[binary.path] = types
    return types["\(type.module).\(type.name)"] ?? []
  }

  /// The mangled names of all types, by module-qualified name: each has a descriptor.
  private static func types(in binary: String) -> [String: [String]] {
    guard let file = ELFFile(path: binary) else { return [:] }
    let descriptors = SymbolTable(of: file, .variables).all { $0.hasPrefix("$s") && $0.hasSuffix("Mn") }
    let names = demangle(symbols: Set(descriptors.map(\.name)))
    return descriptors.reduce(into: [:]) { types, descriptor in
      guard let text = names[descriptor.name], text.hasPrefix(descriptorOf),
        let type = ProgramType(String(text.dropFirst(descriptorOf.count)))
      else { return }
      types["\(type.module).\(type.name)", default: []].append(String(descriptor.name.dropLast("Mn".count)))
    }
  }

  private static let descriptorOf = "nominal type descriptor for "

  /// The ends of the mangled names of functions that a person writes, or that have the line of their type.
  private static let functionEndings = ["fD", "fd", "fC", "fc", "F", "FZ"]

  /// The source files of functions whose mangled names begin in these ways.
  private func sourceFiles<Key: Hashable>(
    ofFunctionsWith prefixes: [(prefix: String, of: Key)], atMost most: Int, in binaries: [ProgramBinary],
    _ capture: Capture
  ) -> [Key: Set<String>] {
    guard !prefixes.isEmpty else { return [:] }
    let byPrefix = Dictionary(grouping: prefixes, by: \.prefix)
    let lengths = Set(byPrefix.keys.map(\.utf8.count))
    var functions: [Key: [Frame]] = [:]
    for binary in binaries {
      guard let file = ELFFile(path: binary.path) else { continue }
      for (address, symbol) in SymbolTable(of: file, .functions).all
      where symbol.hasPrefix("$s") && Self.functionEndings.contains(where: symbol.hasSuffix) {
        for length in lengths where length <= symbol.utf8.count {
          for (_, key) in byPrefix[String(decoding: symbol.utf8.prefix(length), as: UTF8.self)] ?? [] {
            functions[key, default: []].append(Frame(entry: address, of: binary.image))
          }
        }
      }
    }
    let tried = functions.mapValues { $0.sample(atMost: most) }
    let named = symbolicate(Set(tried.values.joined()), of: capture)
    return tried.mapValues { frames in
      Set(frames.compactMap { named[$0]?.last?.file }.filter { $0.hasSuffix(".swift") })
    }
  }
}

extension Array {
  /// Elements from everywhere, at equal distances.
  fileprivate func sample(atMost count: Int) -> [Element] {
    stride(from: 0, to: self.count, by: Swift.max(1, (self.count + count - 1) / count)).map { self[$0] }
  }
}
