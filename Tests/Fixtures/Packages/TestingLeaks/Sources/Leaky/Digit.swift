/// A number below 1000 as a type, so that an object's type name contains it.
public protocol Digit {}

public enum D0: Digit {}
public enum D1: Digit {}
public enum D2: Digit {}
public enum D3: Digit {}
public enum D4: Digit {}
public enum D5: Digit {}
public enum D6: Digit {}
public enum D7: Digit {}
public enum D8: Digit {}
public enum D9: Digit {}

public enum Number<Hundreds: Digit, Tens: Digit, Ones: Digit> {}

private func digit(_ value: Int) -> any Digit.Type {
  let digits: [any Digit.Type] = [
    D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
  ]
  return digits[value % 10]
}

/// Makes a retain cycle of `Node<Number<…>>`.
public func makeRetainCycle(numbered number: Int) {
  func make<A: Digit, B: Digit, C: Digit>(_: A.Type, _: B.Type, _: C.Type) {
    makeRetainCycle(Number<A, B, C>.self)
  }
  make(digit(number / 100), digit(number / 10), digit(number))
}
