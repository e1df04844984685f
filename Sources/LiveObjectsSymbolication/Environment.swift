#if canImport(Glibc)
  // `environ` is a mutable global to Swift; reading it is as safe as any `getenv`.
  @preconcurrency import Glibc
#elseif canImport(Darwin)
  @preconcurrency import Darwin
#endif

/// The environment of this process.
package enum Environment {
  /// Every variable, as `NAME=value`.
  package static var variables: [String] {
    #if canImport(Darwin)
      var entry = _NSGetEnviron().pointee
    #else
      var entry: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
    #endif
    var variables: [String] = []
    while let variable = entry.pointee {
      variables.append(String(cString: variable))
      entry += 1
    }
    return variables
  }

  /// Every variable but those named.
  package static func variables(without names: [String]) -> [String] {
    variables.filter { variable in !names.contains { variable.hasPrefix($0 + "=") } }
  }

  /// The folder in `TMPDIR`; `/tmp` if it is empty.
  package static var temporaryFolder: String {
    Self["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  package static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
