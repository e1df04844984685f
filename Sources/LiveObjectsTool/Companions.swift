import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The libraries that tell the preload library which test is running.
enum Companions {
  private static let products = ["LiveObjectsXCTestCompanion", "LiveObjectsTestingCompanion"]

  /// Says in one line which of them are missing, and how to make them. The tests are watched without them, too.
  static func sayWhatIsMissing(beside library: String) {
    let missing = products.filter { access("\(library.parentFolder)/lib\($0).so", R_OK) != 0 }
    guard !missing.isEmpty else { return }
    printError(
      "not in the preload library's folder: \(missing.map { "lib\($0).so" }.joined(separator: ", ")); findings are "
        + "reported per process, not per test; build with: "
        + missing.map { "swift build --product \($0)" }.joined(separator: " && "))
  }
}
