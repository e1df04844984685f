import Dispatch
import Leaky
import XCTest

/// Variables that hold objects of a test, or refer to them without holding them.
final class RegistryTests: XCTestCase {
  nonisolated(unsafe) private static var cache: [String: [Token]] = [:]
  nonisolated(unsafe) private static var counted: Set<ObjectIdentifier> = []
  nonisolated(unsafe) private static unowned var latest: Loader?
  nonisolated(unsafe) private static weak var observed: Loader?
  nonisolated(unsafe) private static var table: [Int: Token] = [:]
  nonisolated(unsafe) private static var list: [Token] = []
  nonisolated(unsafe) private static var older: Loader?
  nonisolated(unsafe) private static var reused: UnsafeMutableRawPointer?
  nonisolated(unsafe) private static unowned var current: Server?
  nonisolated(unsafe) private static var former: Server?

  override class func setUp() {
    let loader = Loader()
    counted.insert(ObjectIdentifier(loader))
    older = loader
    former = Server()
    _ = former?.connect()
  }

  func testA_fillsACache() { Self.cache["tokens"] = [Token(), Token()] }

  func testB_leaksALoaderThatIsCounted() { Self.counted.insert(ObjectIdentifier(leak())) }

  func testC_leaksALoaderThatIsTheLatest() { Self.latest = leak() }

  func testD_leaksALoaderThatIsObserved() { Self.observed = leak() }

  func testE_leaksALoaderAndFillsACache() {
    Self.cache["more"] = [Token()]
    _ = leak()
  }

  func testF_overRetainsATokenThatWasInATable() {
    let token = Token()
    Self.table = [1: token, 2: Token()]
    Self.table[1] = nil
    _ = Unmanaged.passRetained(token)
  }

  func testG_overRetainsATokenThatWasInAList() {
    let token = Token()
    Self.list = [Token(), token]
    Self.list.removeLast()
    _ = Unmanaged.passRetained(token)
  }

  /// C code gets memory with the token's address, the array's, which had 96 bytes, and uses its first word.
  func testI_overRetainsATokenWhoseAddressIsInOldMemory() {
    let token = Token()
    var addresses = [UInt](repeating: UInt(bitPattern: ObjectIdentifier(token)), count: 8)
    addresses[0] = 0
    addresses = []
    let memory = malloc(96)
    memory?.storeBytes(of: 1, as: UInt.self)
    Self.reused = memory
    _ = Unmanaged.passRetained(token)
  }

  /// The cycle contains an older object, whose identifier is in `counted`.
  func testH_closesACycleOfAnOlderLoader() {
    let token = Token()
    Self.older?.handler = { [older = Self.older] in withExtendedLifetime((older, token)) {} }
    Self.older = nil
  }

  /// The variable leads to the connection, and retains nothing.
  func testJ_overRetainsAConnectionOfTheCurrentServer() {
    let server = Server()
    Self.current = server
    _ = Unmanaged.passRetained(server.connect())
  }

  /// The variable leads to a cycle that is older than what it keeps of the test.
  func testK_dropsAnOlderServerThatIsCurrent() {
    Self.former?.token = Token()
    Self.current = Self.former
    Self.former = nil
  }

  func testL_waitsForAGroupThatIsNotLeft() { Server().notify() }

  @inline(never) @_optimize(none)
  private func leak() -> Loader {
    let loader = Loader()
    loader.observe()
    return loader
  }
}

private final class Server: @unchecked Sendable {
  var connections: [Connection] = []
  var token: Token?
  let group = DispatchGroup()

  func connect() -> Connection {
    let connection = Connection(self)
    connections.append(connection)
    return connection
  }

  func notify() {
    group.enter()
    group.notify(queue: .global()) { self.connections = [] }
  }
}

private final class Connection {
  let server: Server
  init(_ server: Server) { self.server = server }
}
