/// Keeps an object for ever with an unbalanced retain.
@inline(never) @_optimize(none)
public func leak(_ object: AnyObject) {
  _ = Unmanaged.passRetained(object)
}
