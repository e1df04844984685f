import LiveObjectsReport
import LiveObjectsSymbolication

/// The `swift` that is in PATH.
enum SwiftPackageManager {
  /// - Returns: the version as numbers, `[6, 3, 1]` for instance; `nil` if it says something unknown.
  static func version() throws(ToolFailure) -> [Int]? {
    if let version = versionOfToolchain(with: ProgramSearch.path(of: "swift")) { return version }
    return try versionFromCommand()
  }

  /// The version in the toolchain's own files, which is faster than running `swift package`.
  ///
  /// - Parameter swift: the path of a program in a toolchain's `usr/bin`, or of another one, without a
  ///   result.
  static func versionOfToolchain(with swift: String) -> [Int]? {
    guard let folder = swift.resolvingLinks?.parentFolder, "\(folder)/swift-package".resolvingLinks != nil
    else { return nil }
    let files = interfaces.lazy.compactMap { try? InputFile.bytes(of: "\(folder)/../lib/swift/linux/\($0)") }
    guard let bytes = files.first else { return nil }
    let head = String(decoding: bytes.prefix(1_000), as: UTF8.self)
    return head.firstMatch(of: /swift-compiler-version: Swift version (\S+)/).flatMap {
      version(in: String($0.1))
    }
  }

  /// The file names in swift.org's and in Debian's toolchains.
  private static let interfaces = ["unknown", "pc"].map { vendor in
    #if arch(arm64)
      "SwiftOnoneSupport.swiftmodule/aarch64-\(vendor)-linux-gnu.swiftinterface"
    #else
      "SwiftOnoneSupport.swiftmodule/x86_64-\(vendor)-linux-gnu.swiftinterface"
    #endif
  }

  private static func versionFromCommand() throws(ToolFailure) -> [Int]? {
    do throws(SystemError) {
      let output = try TemporaryFile()
      let child = try ChildProcess(
        program: "swift", arguments: ["package", "--version"], environment: Environment.variables,
        streams: [1: output.descriptor])
      let ending = child.wait(until: .now + .seconds(60))
      guard ending == .exited(0) else { return nil }
      return version(in: String(decoding: output.contents(), as: UTF8.self))
    } catch {
      throw ToolFailure("cannot start swift: \(error); `liveobjects test` needs the toolchain in PATH")
    }
  }

  /// `Swift Package Manager - Swift 6.3.1`
  static func version(in text: String) -> [Int]? {
    guard let last = text.split(whereSeparator: \.isWhitespace).last else { return nil }
    let numbers = last.split { !$0.isNumber }.compactMap { Int($0) }
    return numbers.isEmpty ? nil : numbers
  }
}
