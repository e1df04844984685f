import Foundation

/// The programs and libraries that the tests run.
public enum BuiltProducts {
  private static let bundleFolder = Bundle.main.executableURL!
    .resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The folder of the fixtures: that of the test bundle, or `LIVEOBJECTS_FIXTURES`.
  public static let folder = environment("LIVEOBJECTS_FIXTURES") ?? bundleFolder

  /// The folder of the tool and its libraries: that of the test bundle, or `LIVEOBJECTS_PRODUCTS`. Users watch debug
  /// programs with the release build.
  private static let products = environment("LIVEOBJECTS_PRODUCTS") ?? bundleFolder

  /// Whether the fixtures are built with optimisation.
  public static let areFixturesOptimized = folder.hasSuffix("/release")

  private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// The path of a fixture, `Survivors` for instance.
  public static func executable(_ name: String) -> String { folder + "/" + name }

  /// The path of a dynamic library of LiveObjects by its product name.
  public static func library(_ name: String) -> String { products + "/lib\(name).so" }

  public static var preloadLibrary: String { library("LiveObjectsPreload") }
  public static var tool: String { products + "/liveobjects" }
}
