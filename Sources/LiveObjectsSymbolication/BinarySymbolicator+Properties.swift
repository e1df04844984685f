import LiveObjectsAnalysis
import LiveObjectsCapture

extension BinarySymbolicator {
  /// Finds declarations in the source files. Debug information has the line of a class, not those of its
  /// properties. It may name any path: only regular files on storage are read, as binaries are.
  public func declarations(
    of properties: Set<StoredProperty>, in capture: Capture
  ) -> [StoredProperty: SourceLine] {
    let classes = Dictionary(
      uniqueKeysWithValues: properties.map { ($0, deinitialisers(of: $0, in: capture)) })
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

  /// The first instructions of the deinitialisers of the classes that may declare the property.
  private func deinitialisers(
    of property: StoredProperty, in capture: Capture
  ) -> [(type: String, frame: Frame)] {
    let own = capture.images.indices.filter { !capture.images[$0].isSystem }
    let images = property.image.map { [$0] } ?? own
    return property.types.flatMap { type in
      images.compactMap { image in
        // Like a return address: the call lies before it.
        binary(of: capture.images[image]).flatMap { deinitialisers(in: $0)[type] }
          .map { (type, Frame(image: image, offset: $0 &+ 1)) }
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
    // Symbols of a file that wants to take memory share long names.
    var room = 64 << 20
    let symbols = Array(
      SymbolTable(of: file, .functions).all.lazy.filter { $0.name.hasPrefix("$s") && $0.name.hasSuffix("fD") }
        .prefix { symbol in
          room -= symbol.name.utf8.count
          return room > 0
        })
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
