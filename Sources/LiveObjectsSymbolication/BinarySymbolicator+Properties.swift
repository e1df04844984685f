import LiveObjectsAnalysis
import LiveObjectsCapture

extension BinarySymbolicator {
  /// Finds declarations in the source files. Debug information has the line of a class, not those of its
  /// properties. It may name any path: only regular files on storage are read, as binaries are.
  public func declarations(
    of properties: Set<StoredProperty>, in capture: Capture
  ) -> [StoredProperty: SourceLine] {
    let own = capture.images.indices.filter { !capture.images[$0].isSystem }
    // The image of a class may be unknown. Together, not one after the other for each class: there may be many of both.
    let everywhere =
      properties.contains { $0.image == nil } ? deinitialisers(in: own, of: capture) : [:]
    let byImage = Dictionary(
      uniqueKeysWithValues: Set(properties.compactMap(\.image)).map {
        ($0, deinitialisers(in: [$0], of: capture))
      })
    let classes = Dictionary(
      uniqueKeysWithValues: properties.map { property in
        let known = property.image.flatMap { byImage[$0] } ?? everywhere
        return (
          property, property.types.flatMap { type in (known[type] ?? []).map { (type: type, frame: $0) } }
        )
      })
    let frames = Set(classes.values.joined().map(\.frame))
    let named = frames.isEmpty ? [:] : symbolicate(frames, of: capture)
    var files: [String: SourceText?] = [:]
    return classes.reduce(into: [:]) { lines, entry in
      let (property, classes) = entry
      lines[property] =
        classes.lazy.compactMap { type, frame -> SourceLine? in
          guard let source = named[frame]?.last, let file = source.file, let line = source.line else {
            return nil
          }
          let text = files[file] ?? self.locator.mounts.storedFile(file).flatMap(SourceText.init(ofFileAt:))
          files[file] = .some(text)
          return text?.line(ofProperty: property.name, ofClass: type, declaredNear: line)
            .map { SourceLine(file: file, line: $0) }
        }.first
    }
  }

  /// The first instructions of the deinitialisers of all classes in some images, by the names of the classes.
  private func deinitialisers(in images: [Int], of capture: Capture) -> [String: [Frame]] {
    images.reduce(into: [:]) { all, image in
      guard let binary = binary(of: capture.images[image]) else { return }
      // Like a return address: the call lies before it.
      for (type, address) in deinitialisers(in: binary) {
        all[type, default: []].append(Frame(image: image, offset: address &+ 1))
      }
    }
  }

  private func deinitialisers(in binary: String) -> [String: UInt64] {
    let known = deinitialisersByBinary[binary] ?? Self.deinitialisers(in: binary)
    deinitialisersByBinary[binary] = known
    return known
  }

  /// The addresses of the deinitialisers of all classes, by module-qualified name. Of classes with equal names,
  /// private ones of several files, none.
  private static func deinitialisers(in binary: String) -> [String: UInt64] {
    guard let file = ELFFile(path: binary) else { return [:] }
    let symbols = SymbolTable(of: file, .functions).all { $0.hasPrefix("$s") && $0.hasSuffix("fD") }
    let names = demangle(symbols: Set(symbols.map(\.name)))
    let classes = symbols.compactMap { address, symbol -> (String, UInt64?)? in
      let name = names[symbol].map(FunctionName.init(demangled:))
      guard let name, let module = name.module, name.function.hasSuffix(deinitialiser) else { return nil }
      return ("\(module).\(name.function.dropLast(deinitialiser.count))", address)
    }
    return Dictionary(classes) { first, second in first == second ? first : nil }.compactMapValues { $0 }
  }

  private static let deinitialiser = ".__deallocating_deinit"
}
