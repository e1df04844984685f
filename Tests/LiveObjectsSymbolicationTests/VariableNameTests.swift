import Foundation
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

@Suite("The name of a variable")
struct VariableNameTests {
  @Test(
    "comes from its symbol",
    arguments: [
      ("$s4Demo8RegistryC6sharedACvpZ", "static Demo.Registry.shared"),
      ("$s4Demo5cacheSayAA4ItemCGvp", "global Demo.cache"),
      ("$s4Demo1SV1p33_0298D293AE5F46831999F1731BDB2AACLLAA4ItemCvpZ", "static Demo.S.p"),
      ("$s4Demo6hidden33_0298D293AE5F46831999F1731BDB2AACLLSDySSAA4ItemCGvp", "global Demo.hidden"),
      ("$s4Demo3funAA4ItemCyF5LocalL_V5localADvpZ", "static local in Local #1 in Demo.fun()"),
      ("$sSS4DemoE5inExtAA4ItemCvpZ", "static Demo.String.inExt"),
      ("plain_c", "global plain_c"), ("inside_a_function.12", "global inside_a_function"),
    ])
  func comesFromItsSymbol(symbol: String, expected: String) {
    #expect(VariableName.text(of: symbol) == expected)
  }

  @Test(
    "of an initialiser is that of its variable",
    arguments: [
      ("$s4Demo8RegistryC6shared_Wz", "static Demo.Registry.shared"),
      ("$s4Demo10lazyGlobal_WZTv_", "global Demo.lazyGlobal"),
      ("$s4Demo3funAA4ItemCyF5LocalL_V5local_WZTv0_", "static local in Local #1 in Demo.fun()"),
    ])
  func isOfTheVariableThatIsInitialised(symbol: String, expected: String) {
    #expect(VariableName.text(of: symbol) == expected)
  }

  @Test(
    "is unknown for compiler-generated variables",
    arguments: [
      "$s4Demo1SV2InVMI", "$s4Demo4ItemCN", "$s4Demo2AACACScAAAWL", "symbolic Si", "$s_WZ", "$s", "",
    ])
  func isNotKnown(symbol: String) {
    #expect(VariableName.text(of: symbol) == nil)
  }

  @Test("is found by an address anywhere within it")
  func isFoundByAddress() {
    let global = withUnsafeMutablePointer(to: &someGlobal) { frame(at: $0) }
    let inner = Frame(image: global.image, offset: global.offset + 8)
    let shared = withUnsafeMutablePointer(to: &SomeRegistry.shared) { frame(at: $0) }
    let names = BinarySymbolicator().name(variables: [global, inner, shared], of: ownCapture)

    #expect(names[global] == "global LiveObjectsSymbolicationTests.someGlobal")
    #expect(names[inner] == names[global])
    #expect(names[shared] == "static LiveObjectsSymbolicationTests.SomeRegistry.shared")
  }

  @Test("is unknown without a symbol, and outside of all images")
  func isUnknown() {
    let nowhere = Frame(image: 0, offset: 1)
    let names = BinarySymbolicator().name(
      variables: [nowhere, Frame(image: nil, offset: 7), Frame(image: 9, offset: 7)], of: ownCapture)
    #expect(names.isEmpty)
  }

  @Test("of an asynchronous closure's code is the closure's")
  func namesAsynchronousClosures() {
    let holder = AsyncHolder(closure: { await Task.yield() })
    let word = withUnsafeBytes(of: holder) { $0.load(as: UInt64.self) }
    let code = Frame(image: 0, offset: word - ownAddresses.lowerBound + 1)
    let named = BinarySymbolicator().symbolicate([code], of: ownCapture)[code]
    #expect(
      named?.map(\.function) == ["closure #1 in VariableNameTests.namesAsynchronousClosures()"])
  }

  private func frame(at pointer: UnsafeRawPointer) -> Frame {
    Frame(image: 0, offset: UInt64(UInt(bitPattern: pointer)) - ownAddresses.lowerBound)
  }
}

private struct AsyncHolder {
  var closure: () async -> Void
}

nonisolated(unsafe) private var someGlobal = (0, 1)
private enum SomeRegistry {
  nonisolated(unsafe) static var shared = NSObject()
}
