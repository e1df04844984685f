import XCTest

@testable import Dependent
@testable import Wire

final class ServiceTests: XCTestCase {
  func testStarts() { Service.shared.start() }

  func testKeepsASession() { Service.shared.sessions.append(Session()) }

  func testKeepsAConnection() { Service.shared.connections.append(Connection()) }
}
