/// An object of a class that only this library has.
final class Extension {
  var other: Extension?
}

/// Leaks a cycle of the library's own objects. The program finds it by name.
@_cdecl("plugin_leak")
public func pluginLeak() {
  let first = Extension()
  let second = Extension()
  first.other = second
  second.other = first
}
