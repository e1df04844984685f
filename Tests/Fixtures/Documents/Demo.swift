/// The program that the examples of the documents use.
final class ClientSpy {
  var completions: [() -> Void] = []
}

final class Loader {
  init(client: ClientSpy) {}
  func load() {}
}

func makeSUT() -> Loader { Loader(client: ClientSpy()) }

struct Importer {
  func run() {}
}

struct Session {
  func logout() {}
}

let session = Session()

struct Fixture: Sendable {
  static let all = [Fixture()]
}

struct Parser {
  func parse(_ fixture: Fixture) throws {}
}

final class Coordinator: Sendable {}

@MainActor final class Presenter {
  func present(_ coordinator: Coordinator) async {}
  func dismiss() async {}
}

struct ViewModel {
  func load() {}
}

let viewModel = ViewModel()

func connectAndClose() {}
func openAndCloseTheScreen() async {}
func render() {}
