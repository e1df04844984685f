/// An `llvm-symbolizer`, which stays alive from the first question on: it takes about 0.1 s to read the symbols of a
/// large program, and microseconds for an address from then on.
///
/// One that dies is started again once, and no more. It ends with this object, or with the process.
final class LLVMSymbolizer {
  let path: String
  private let environment: [String]
  private let patience: Duration
  private var conversation: Conversation?
  /// The files that it has read.
  private var versions: [String: FileVersion?] = [:]
  private var hasDied = false
  /// Why it is not asked any more.
  private var failure: Failure?

  /// One function at an address, as the symbolizer prints it.
  struct Line: Hashable {
    /// Swift names are mangled; `nil` where no symbol is known.
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
  ///   - path: where it is.
  ///   - environment: all of it, as `NAME=value`.
  ///   - patience: how long it may be silent before it is killed.
  init(path: String, environment: [String], patience: Duration) {
    self.path = path
    self.environment = environment
    self.patience = patience
  }

  /// Names addresses.
  ///
  /// - Returns: the functions at each address, innermost first; an address is missing where the
  ///   symbolizer knows none.
  func symbolicate(_ addresses: [CodeAddress]) throws(Failure) -> [CodeAddress: [Line]] {
    let addresses = addresses.filter(\.canBeAskedFor).sorted()
    if addresses.isEmpty { return [:] }
    if let failure { throw failure }
    forgetReplacedFiles(among: addresses)
    let output = LLVMSymbolizerOutput(try answer(to: addresses))
    guard let lines = output.lines(for: addresses) else { throw giveUp("it answered something else") }
    return lines
  }

  /// It keeps what it has read of a file, and a process may live on while its files are built anew.
  private func forgetReplacedFiles(among addresses: [CodeAddress]) {
    let binaries = Set(addresses.map(\.binary))
    let present = Dictionary(uniqueKeysWithValues: binaries.map { ($0, FileVersion(ofFileAt: $0)) })
    if present.contains(where: { binary, version in versions[binary].map { $0 != version } ?? false }) {
      conversation = nil
      versions = [:]
    }
    versions.merge(present) { _, new in new }
  }

  private func answer(to addresses: [CodeAddress]) throws(Failure) -> [UInt8] {
    while true {
      let conversation = try begun()
      do throws(Conversation.Failure) {
        return try conversation.ask(addresses.map(\.question), patience: patience)
      } catch {
        switch error {
        case .ended(let ending):
          if hasDied { throw giveUp("it ended with \(ending)") }
          hasDied = true
          self.conversation = nil
        case .hung: throw giveUp("it did not answer within \(patience)")
        case .endless: throw giveUp("its answer did not end")
        }
      }
    }
  }

  private func begun() throws(Failure) -> Conversation {
    if let conversation, conversation.isOwn { return conversation }
    do throws(SystemError) {
      let new = try Conversation(
        with: path, arguments: ["--inlines", "--print-address"], environment: environment)
      conversation = new
      return new
    } catch {
      // Not for ever: a limit may be reached for the moment.
      throw Failure(reason: error.description)
    }
  }

  private func giveUp(_ reason: String) -> Failure {
    conversation = nil
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

  /// As the symbolizer reads it.
  var question: String { "\"\(binary)\" \(hexadecimal)" }

  /// The symbolizer reads lines, with the file's name in quotes.
  var canBeAskedFor: Bool { !binary.utf8.contains { "\"\n\r".utf8.contains($0) } }

  static func < (left: Self, right: Self) -> Bool {
    (left.binary, left.address) < (right.binary, right.address)
  }
}
