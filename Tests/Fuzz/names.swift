@testable import LiveObjectsReport
@testable import LiveObjectsSymbolication

/// Shortens a demangled name.
@_cdecl("test_input")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  reach.add("inputs")
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  let name = FunctionName(demangled: text)
  if name.module != nil { reach.add("with a module") }
  if name.function != text { reach.add("shortened") }
  precondition(text.isEmpty || !name.function.isEmpty, "a function without a name")
}
