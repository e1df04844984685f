import LiveObjectsCapture

/// The packages of a program's modules, by the files of their source code in debug information.
///
/// SwiftPM checks dependencies out into a folder of the build's own. What is not in there is the program's own,
/// packages that it depends on by path too, and so is everything whose files are not known.
struct Packages {
  /// The names of dependencies by module.
  private var dependencies: [Substring: String]
  /// Modules without a function that a person wrote: such a module makes and holds nothing by itself.
  private var generated: Set<Substring> = []
  /// The modules with a frame.
  private let known: Set<Substring>
  /// The dependencies by source file.
  private let files: [String: String]
  private let checkouts: Checkouts
  /// The file name of the executable.
  private let program: Substring
  /// Whether all calls that allocated an object of a finding are known: some may be the program's.
  private let knowsAllCalls: Bool

  /// - Parameter traces: with the named frames of the process, all that are known.
  init(_ traces: NamedTraces, of executable: String) {
    let frames = traces.frames.lazy.map(\.source)
    knowsAllCalls = !traces.isSampled
    let checkouts = Checkouts(of: executable)
    program = executable.split(separator: "/").last ?? ""
    var packages: [Substring: Set<String?>] = [:]
    var files: [String: String] = [:]
    for frame in frames where frame.isUserCode && !frame.isCompilerGenerated {
      guard let file = frame.file, !checkouts.isGenerated(file) else { continue }
      let package = files[file] ?? checkouts.package(of: file)
      files[file] = package
      packages[frame.module[...], default: []].insert(package)
    }
    dependencies = packages.compactMapValues { $0.count == 1 ? $0.first! : nil }
    known = Set(packages.keys)
    self.files = files
    self.checkouts = checkouts
  }

  /// Adds the packages of modules that types of findings belong to, and no frame.
  ///
  /// - Parameter sources: finds a source file of each module.
  mutating func add(modulesIn findings: [Finding], sources: (Set<String>) -> [String: ModuleSource]) {
    // Without any, all is the program's own.
    guard !dependencies.isEmpty else { return }
    let modules = findings.reduce(into: Set<Substring>()) { modules, finding in
      for type in [finding.type] + finding.path.map(\.type) { modules.formUnion(self.modules(in: type)) }
    }
    let unknown = modules.filter { !SystemModules.contains($0) && !known.contains($0) }
    for (module, source) in sources(Set(unknown.map(String.init))) {
      switch source {
      case .file(let file): dependencies[module[...]] = checkouts.package(of: file)
      case .generated: generated.insert(module[...])
      }
    }
  }

  func attributed(_ findings: [Finding]) -> [Finding] {
    return findings.map { finding in
      var finding = finding
      finding.dependency = dependency(of: finding)
      finding.hint = finding.hint.flatMap(ofProgram)
      return finding
    }
  }

  /// A hint with a place in a dependency, which the user cannot change, is none: of several places, that one may be
  /// right. A channel is the program's to close, wherever it was opened.
  private func ofProgram(_ hint: Finding.Hint) -> Finding.Hint? {
    hint.action.endsChannel || hint.places.allSatisfy(isProgram) ? hint : nil
  }

  private func isProgram(_ place: Finding.Hint.Place) -> Bool {
    place.file.flatMap(checkouts.package) == nil && isProgram(place.name)
  }

  func attributed(_ types: some Collection<TypeGrowth>) -> [TypeGrowth] {
    guard !dependencies.isEmpty else { return Array(types) }
    return types.map { type in
      var type = type
      type.dependency = type.isUserDefined ? dependency(named: type.type) : nil
      return type
    }
  }

  /// See `Finding.dependency`.
  private func dependency(of finding: Finding) -> String? {
    guard knowsAllCalls, !finding.isLibraryLeak, finding.hint?.action.endsChannel != true,
      let package = dependency(named: finding.type),
      finding.path.allSatisfy({ !isProgram($0.type) || $0.isMainTask }),
      finding.allocatedAt.allSatisfy({ !$0.frames.contains(where: isProgram) })
    else { return nil }
    return package
  }

  /// The dependency of a type, or of its first generic argument that has one; `nil` where a type of the program's own
  /// is part of it.
  private func dependency(named type: String) -> String? {
    isProgram(type) ? nil : modules(in: type).lazy.compactMap { dependencies[$0] }.first
  }

  /// Whether a name contains one of the program's own modules.
  private func isProgram(_ name: String) -> Bool {
    modules(in: name).contains {
      !SystemModules.contains($0) && dependencies[$0] == nil && !generated.contains($0)
    }
  }

  /// Whether a type is the program's own, whatever its arguments are.
  func isProgram(type: String) -> Bool { isProgram(String(type.prefix(before: "<"))) }

  /// `NIOCore` and `Swift` of `closure #1 in NIOCore.Future<Swift.Int>.map(_:)`.
  private func modules(in name: String) -> [Substring] {
    var modules: [Substring] = []
    var rest = name[...]
    while let start = rest.firstIndex(where: { $0.isLetter || $0 == "_" || $0 == "`" }) {
      guard rest[start] != "`" else {
        rest = rest[start...].dropFirst().drop { $0 != "`" }.dropFirst()
        continue
      }
      let isNested = start > rest.startIndex && rest[rest.index(before: start)] == "."
      let identifier = rest[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
      rest = rest[identifier.endIndex...]
      if !isNested, rest.first == "." { modules.append(identifier) }
      rest = rest.drop { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
    }
    return modules
  }

  /// Whether a person wrote the frame's code for the program. The entry point is the caller of all the code.
  private func isProgram(_ frame: SourceFrame) -> Bool {
    // Code of the executable without a name is the compiler's.
    guard frame.function != nil || frame.module != program, frame.isUserCode, !frame.isCompilerGenerated,
      !frame.isEntryPoint
    else {
      return false
    }
    return frame.file.flatMap { files[$0] } == nil && dependencies[frame.module[...]] == nil
  }
}

extension Finding.PathStep {
  /// Whether it is the task of the program's entry point, which directly or indirectly holds all that the
  /// program has.
  var isMainTask: Bool { type.contains("task in static ") && type.hasSuffix(".main()") }
}

/// The folders into which SwiftPM checks out the dependencies of a program.
private struct Checkouts {
  private let executable: String
  /// The folder of the build, which `--scratch-path` names; `.build` is one in any case.
  private let build: String?

  init(of executable: String) {
    self.executable = executable
    // `<build>/<triple>/<configuration>/<program>`, `<build>/out/Products/<configuration>/<program>`
    let parts = executable.split(separator: "/", omittingEmptySubsequences: false)
    let depth = parts.dropLast(2).suffix(2) == ["out", "Products"] ? 4 : 3
    build = parts.count > depth + 1 ? parts.dropLast(depth).joined(separator: "/") : nil
  }

  /// The package of a source file: the name of its folder; `nil` for the program's own.
  func package(of file: String) -> String? {
    for folder in ["checkouts/", "registry/downloads/"] {
      guard let start = end(of: folder, in: file) else { continue }
      let components = file[start...].split(separator: "/")
      // `checkouts/swift-log/…`, `registry/downloads/apple/swift-log/1.5.4/…`
      let index = folder == "checkouts/" ? 0 : 1
      guard components.count > index + 1 else { continue }
      let root = file[..<components[index].endIndex] + "/"
      return executable.hasPrefix(root) ? nil : String(components[index])
    }
    return nil
  }

  /// Whether the compiler or the build has generated the file.
  func isGenerated(_ file: String) -> Bool {
    if file.hasSuffix("<compiler-generated>") { return true }
    let isInBuild = file.contains("/.build/") || build.map { file.hasPrefix($0 + "/") } == true
    return isInBuild && package(of: file) == nil
  }

  private func end(of folder: String, in file: String) -> String.Index? {
    if let build, file.hasPrefix("\(build)/\(folder)") {
      return file.utf8.index(file.startIndex, offsetBy: build.utf8.count + 1 + folder.utf8.count)
    }
    return file.end(ofLast: "/.build/\(folder)")
  }
}
