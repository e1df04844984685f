import Testing

@testable import LiveObjectsAnalysis

@Suite struct TypeNameTests {
  @Test(arguments: [
    ("Demo.Loader", "Demo.Loader"),
    ("Demo.(unknown context at $561238e08540).Cache", "Demo.Cache"),
    ("Demo.(unknown context at $561238e08540).(unknown context at $7f).Local", "Demo.Local"),
    ("Demo.Outer.(unknown context at $1).Inner.Deep", "Demo.Outer.Inner.Deep"),
    ("Demo.Box<Demo.(unknown context at $1).A, Demo.(unknown context at $2).B>", "Demo.Box<Demo.A, Demo.B>"),
    ("Demo.(unknown context at $1", "Demo."),
    ("(unknown context at ", ""),
    ("", ""),
  ])
  func omitsPartsThatChangeBetweenRuns(runtimeName: String, text: String) {
    #expect(TypeName(runtimeName).text == text)
  }

  @Test(arguments: [
    ("Demo.P<Pack{Swift.Int, Swift.String}>", "Demo.P<Swift.Int, Swift.String>"),
    ("Demo.P<Swift.Int, Pack{}>", "Demo.P<Swift.Int>"), ("Demo.P<Pack{}, Swift.Int>", "Demo.P<Swift.Int>"),
    ("Demo.P<Pack{}>", "Demo.P<>"),
  ])
  func packsAreSpelledAsInSwift(runtimeName: String, text: String) {
    #expect(TypeName(runtimeName).text == text)
  }

  @Test(
    arguments: [
      ("Demo.Loader", "Demo"),
      ("Demo.(unknown context at $1).Cache", "Demo"),
      ("Größe.Maß", "Größe"),
      ("(extension in Demo):Swift.Array<Swift.Int>.Cache", "Demo"),
      ("(Swift.Int, Demo.Loader)", nil),
      ("(Swift.Int) -> Demo.Loader", nil),
      ("@Sendable () -> ()", nil),
      ("Any", nil),
      ("", nil),
    ] as [(String, String?)])
  func hasTheModuleOfNominalTypes(runtimeName: String, module: String?) {
    #expect(TypeName(runtimeName).module.map(String.init) == module)
  }

  @Test(arguments: [
    "Demo.Loader", "FoundationKit.A", "Swifter.A", "(extension in Demo):Swift.Array<Swift.Int>.Cache",
    "Demo.Box<Swift.Int>",
  ])
  func nominalTypesOfTheProgramAreOfTheProgram(name: String) {
    #expect(TypeName(name).isUserDefined)
  }

  @Test(arguments: [
    "Swift._ContiguousArrayStorage<Demo.Loader>", "Foundation.Bundle", "FoundationEssentials.A",
    "XCTest.XCTestCase", "Testing.Test", "Dispatch.DispatchQueue", "Synchronization.Mutex<Swift.Int>",
    "Observation.A", "RegexBuilder.A", "_Concurrency.A", "__C.NSObject", "(Demo.A, Demo.B)",
    "(extension in Foundation):Swift.String.A",
  ])
  func typesOfTheToolchainAreNotOfTheProgram(name: String) {
    #expect(!TypeName(name).isUserDefined)
  }
}
