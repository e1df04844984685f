import LiveObjectsReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The libraries that report the running test to the preload library.
enum Companions {
  private static let products = ["LiveObjectsXCTestCompanion", "LiveObjectsTestingCompanion"]

  /// Prints one line about missing companions, and how to build them. Without them, tests are watched as
  /// well.
  static func warnAboutMissing(beside library: String) {
    let missing = products.filter { access("\(library.parentFolder)/lib\($0).so", R_OK) != 0 }
    guard !missing.isEmpty else { return }
    printError(
      "not in the preload library's folder: \(missing.map { "lib\($0).so" }.joined(separator: ", ")); findings are "
        + "reported per process, not per test; build with: "
        + missing.map { "swift build --product \($0)" }.joined(separator: " && "))
  }
}
