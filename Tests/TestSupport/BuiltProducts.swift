import Foundation

/// The programs and libraries that the tests run.
public enum BuiltProducts {
  /// The folder that holds the test bundle and the fixtures of its build.
  public static let folder = Bundle.main.executableURL!
    .resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The folder of the tool and its libraries: that of the bundle, or `LIVEOBJECTS_PRODUCTS`. Users watch debug programs
  /// with the release build, which takes a quarter of the time.
  private static let products = ProcessInfo.processInfo.environment["LIVEOBJECTS_PRODUCTS"] ?? folder

  /// Whether the fixtures are built with optimisation: as these lines.
  public static var areFixturesOptimized: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// The path of a fixture, `Survivors` for instance.
  public static func executable(_ name: String) -> String { folder + "/" + name }

  /// The path of a dynamic library of LiveObjects by its product name.
  public static func library(_ name: String) -> String { products + "/lib\(name).so" }

  public static var preloadLibrary: String { library("LiveObjectsPreload") }
  public static var tool: String { products + "/liveobjects" }
}
