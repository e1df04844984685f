/// An `llvm-symbolizer`, which stays alive from the first question on: it takes about 0.1 s to read the
/// symbols of a large program, and microseconds for an address from then on.
///
/// A symbolizer that ends is started again once, and no more. It ends with this object, or with the process.
final class LLVMSymbolizer {
  let path: String
  private let environment: [String]
  private let timeout: Duration
  private var connection: HelperConnection?
  /// The files that it has read.
  private var versions: [String: FileVersion?] = [:]
  private var hasEndedBefore = false
  /// The reason why it is not used any more.
  private var failure: Failure?

  /// One function at an address, as the symbolizer prints it.
  struct Line: Hashable {
    /// Swift names are mangled; `nil` without a symbol.
    var symbol: String?
    var file: String?
    /// `nil` too where the compiler noted none. `--skip-line-zero` would give the line before, which may
    /// be another statement's, or the caller's of an inlined function.
    var line: Int?
  }

  struct Failure: Error {
    var reason: String
  }

  /// - Parameters:
  ///   - path: its path.
  ///   - environment: all of it, as `NAME=value`.
  ///   - timeout: the time after which it is killed without an answer.
  init(path: String, environment: [String], timeout: Duration) {
    self.path = path
    self.environment = environment
    self.timeout = timeout
  }

  /// Names addresses.
  ///
  /// - Returns: the functions at each address, innermost first; an address is missing where the
  ///   symbolizer has none.
  func symbolicate(_ addresses: [CodeAddress]) throws(Failure) -> [CodeAddress: [Line]] {
    let addresses = addresses.filter(\.isQueryable).sorted()
    if addresses.isEmpty { return [:] }
    if let failure { throw failure }
    forgetReplacedFiles(among: addresses)
    let output = LLVMSymbolizerOutput(try answer(to: addresses))
    guard let lines = output.lines(for: addresses) else { throw giveUp("it answered something else") }
    return lines
  }

  /// Ends a symbolizer that has read files which were replaced since: a process may run on while its files
  /// are rebuilt.
  private func forgetReplacedFiles(among addresses: [CodeAddress]) {
    let binaries = Set(addresses.map(\.binary))
    let present = Dictionary(uniqueKeysWithValues: binaries.map { ($0, FileVersion(ofFileAt: $0)) })
    if present.contains(where: { binary, version in versions[binary].map { $0 != version } ?? false }) {
      connection = nil
      versions = [:]
    }
    versions.merge(present) { _, new in new }
  }

  private func answer(to addresses: [CodeAddress]) throws(Failure) -> [UInt8] {
    while true {
      let connection = try begun()
      do throws(HelperConnection.Failure) {
        return try connection.ask(addresses.map(\.question), timeout: timeout)
      } catch {
        switch error {
        case .ended(let ending):
          if hasEndedBefore { throw giveUp("it ended with \(ending)") }
          hasEndedBefore = true
          self.connection = nil
        case .hung: throw giveUp("it did not answer within \(timeout)")
        case .endless: throw giveUp("its answer did not end")
        }
      }
    }
  }

  private func begun() throws(Failure) -> HelperConnection {
    if let connection, connection.isOwn { return connection }
    do throws(SystemError) {
      let new = try HelperConnection(
        with: path, arguments: ["--inlines", "--print-address"], environment: environment)
      connection = new
      return new
    } catch {
      // Not final: a limit may be reached for the moment.
      throw Failure(reason: error.description)
    }
  }

  private func giveUp(_ reason: String) -> Failure {
    connection = nil
    let failure = Failure(reason: reason)
    self.failure = failure
    return failure
  }
}

/// An instruction in a file, by its virtual address there.
struct CodeAddress: Hashable, Comparable {
  var binary: String
  var address: UInt64

  var hexadecimal: String { "0x" + String(address, radix: 16) }

  /// The question in the syntax of the symbolizer.
  var question: String { "\"\(binary)\" \(hexadecimal)" }

  /// The symbolizer reads lines, with the file's name in quotes.
  var isQueryable: Bool { !binary.utf8.contains { "\"\n\r".utf8.contains($0) } }

  static func < (left: Self, right: Self) -> Bool {
    (left.binary, left.address) < (right.binary, right.address)
  }
}
