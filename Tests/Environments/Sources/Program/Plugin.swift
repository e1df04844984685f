import Foundation
import Situations

private typealias PluginFunction = @convention(c) () -> Void

/// Next to the program, which is started by its full path: without /proc, Foundation and Swift cannot find it.
private let pluginPath =
  URL(fileURLWithPath: String(cString: situation_program())).deletingLastPathComponent()
  .appendingPathComponent(
    "libPlugin.so"
  )
  .path

/// Calls a library that leaks objects of its own classes. It stays open: after its unload leaks are not evaluated.
func runPlugin() -> String {
  guard let plugin = dlopen(pluginPath, RTLD_NOW) else { return "cannot be opened" }
  guard let function = dlsym(plugin, "plugin_leak") else { return "has no function" }
  unsafeBitCast(function, to: PluginFunction.self)()
  return "ran"
}

/// Opens and closes a library of C, which the runtime does not keep, while other threads allocate.
func loadPluginRepeatedly() {
  let library = ProcessInfo.processInfo.environment["LIBRARY"] ?? "libutil.so.1"
  let finished = DispatchGroup()
  for _ in 0..<4 {
    DispatchQueue.global().async(group: finished) { for _ in 0..<200 { _ = work(objects: 100) } }
  }
  for _ in 0..<2000 {
    guard let handle = dlopen(library, RTLD_NOW) else { return print("cannot open \(library)") }
    dlclose(handle)
  }
  finished.wait()
}
