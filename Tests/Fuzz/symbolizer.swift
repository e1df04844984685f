@testable import LiveObjectsReport
@testable import LiveObjectsSymbolication

/// Output of llvm-symbolizer about as many addresses as the first byte says.
@_cdecl("test_input")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  reach.add("inputs")
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let addresses = (0..<UInt64(bytes.first ?? 0) % 8).map {
    CodeAddress(binary: "/app", address: 16 * ($0 + 1))
  }
  let output = LLVMSymbolizerOutput(Array(bytes.dropFirst()))
  guard let lines = output.lines(for: addresses) else { return }
  reach.add("answers")
  for line in lines.values.joined() {
    reach.add("lines")
  }
}
