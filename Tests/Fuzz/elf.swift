import Glibc

@testable import LiveObjectsReport
@testable import LiveObjectsSymbolication

/// Bytes of an ELF file that a capture names: all that a report reads of it.
@_cdecl("test_input")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  reach.add("inputs")
  ftruncate(descriptor, 0)
  pwrite(descriptor, start, count, 0)
  guard let file = ELFFile(path: "/proc/self/fd/\(descriptor)") else { return }
  reach.add("files")
  if !file.buildID.isEmpty { reach.add("with build id") }
  _ = (file.interpreter, file.holdsSwift, file.holdsDebugInformation)
  for section in file.sections.prefix(4) { _ = file.holdsCode(at: section.address) }
  if !file.sections.isEmpty { reach.add("with sections") }
  for kind in [SymbolTable.Kind.functions, .variables] {
    let table = SymbolTable(of: file, kind)
    if !table.symbols(at: [0, 1, 0x1000, 0x1139, .max]).isEmpty { reach.add("with symbols") }
    for (_, name) in table.all { _ = VariableName.text(of: name) }
  }
}

private let descriptor = makeFileInMemory("elf", 0)

@_silgen_name("memfd_create")
private func makeFileInMemory(_ name: UnsafePointer<CChar>, _ flags: CUnsignedInt) -> CInt
