import Foundation

/// The other products of the build of the running tests.
public enum BuiltProducts {
  /// The folder that holds the test bundle, and with it everything else.
  public static let folder: String = Bundle.main.executableURL!
    .resolvingSymlinksInPath().deletingLastPathComponent().path

  /// The path of an executable, `Survivors` or `liveobjects` for instance.
  public static func executable(_ name: String) -> String { folder + "/" + name }

  /// The path of a dynamic library by its product name.
  public static func library(_ name: String) -> String { folder + "/lib\(name).so" }

  public static var preloadLibrary: String { library("LiveObjectsPreload") }
  public static var tool: String { executable("liveobjects") }
}
