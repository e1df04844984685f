// Built by the tests as a library of its own.

public final class Guest {
  var number = 0
}

@_cdecl("leaveGuests")
@inline(never) @_optimize(none)
public func leaveGuests(_ count: Int) {
  for number in 0..<count * 10 {
    let guest = Guest()
    guest.number = number
    if number % 10 == 0 { _ = Unmanaged.passRetained(guest) }
  }
}
