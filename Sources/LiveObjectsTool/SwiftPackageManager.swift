import LiveObjectsReport

/// The `swift` that is in PATH.
enum SwiftPackageManager {
  /// - Returns: the version as numbers, `[6, 3, 1]` for instance; `nil` if it says something unknown.
  static func version() throws(ToolFailure) -> [Int]? {
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
