// One function a kind. Each makes `churn` objects for every one that it keeps, of the same type and on
// the same line, so that a recorder which confuses live and freed objects gets a wrong count.
//
// They are not optimised, because the optimiser removes a leak that it can prove unused. What they
// call is.

let churn = 20

/// The bytes of an object before its own fields: metadata and reference counts.
let header = 16

func exactly(_ bytes: Int) -> ClosedRange<Int> { bytes...bytes }

@inline(never) @_optimize(none)
func plantClasses(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let object = PlantedClass(number)
    guard number % churn == 0 else { continue }
    _ = Unmanaged.passRetained(object).retain().retain().retain()
    Unmanaged.passUnretained(object).release()
  }
  return Planted(
    "class", type: "Survivors.PlantedClass", count: count, bytes: exactly(header + 8), strongCount: 3,
    line: #line - 7)
}

@inline(never) @_optimize(none)
func plantGenericClasses(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let object = PlantedGeneric(number)
    if number % churn == 0 { object.itself = object }
  }
  return Planted(
    "generic class", type: "Survivors.PlantedGeneric<Swift.Int>", count: count, bytes: exactly(header + 16),
    line: #line - 5)
}

@inline(never) @_optimize(none)
func plantClosures(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let (a, b, c, d) = (number, 1, 2, 3)
    let closure = { a + b + c + d }
    leak(HeldClosure(closure: closure), if: number % churn == 0)
  }
  return Planted("closure context", count: count, bytes: exactly(header + 4 * 8), line: #line - 3)
}

@inline(never) @_optimize(none)
func plantCapturedVariables(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    var captured = (number, 1, 2, 3, 4)
    // Its one capture is the box, which serves as the closure's context too.
    let closure = {
      captured.0 += captured.4
      return captured.0
    }
    leak(HeldClosure(closure: closure), if: number % churn == 0)
  }
  return Planted("captured variable", count: count, bytes: exactly(header + 5 * 8), line: #line - 8)
}

@inline(never) @_optimize(none)
func plantExistentials(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let value: any Sendable = PlantedValue(number: number)
    leak(HeldValue(value: value), if: number % churn == 0)
  }
  return Planted("existential box", count: count, bytes: exactly(header + 6 * 8), line: #line - 3)
}

@inline(never) @_optimize(none)
func plantGenericBoxes<Value: Sendable>(_ count: Int, of original: Value) -> Planted {
  for number in 0..<count * churn {
    let value: any Sendable = original
    leak(HeldValue(value: value), if: number % churn == 0)
  }
  return Planted(
    "generic box", type: "Survivors.PlantedValue", count: count, bytes: exactly(header + 6 * 8),
    line: #line - 5)
}

@inline(never) @_optimize(none)
func plantArrays(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let array = [PlantedElement(number: number, weight: 1), PlantedElement(number: 0, weight: 2)]
    leak(array, if: number % churn == 0)
  }
  return Planted(
    "array", type: "Swift._ContiguousArrayStorage<Survivors.PlantedElement>", count: count,
    bytes: exactly(header + 16 + 2 * 16), line: #line - 5)
}

@inline(never) @_optimize(none)
func plantDictionaries(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let dictionary = [PlantedKey(number: number): 1]
    leak(dictionary, if: number % churn == 0)
  }
  return Planted(
    "dictionary", type: "Swift._DictionaryStorage<Survivors.PlantedKey, Swift.Int>", count: count,
    line: #line - 5)
}

@inline(never) @_optimize(none)
func plantSets(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let set: Set = [PlantedKey(number: number)]
    leak(set, if: number % churn == 0)
  }
  return Planted(
    "set", type: "Swift._SetStorage<Survivors.PlantedKey>", count: count, line: #line - 5)
}

@inline(never) @_optimize(none)
func plantStrings(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let string = String(repeating: "s", count: 5_000)
    leak(string, if: number % churn == 0)
  }
  return Planted(
    "string", type: "Swift.__StringStorage", count: count, bytes: 5_000...6_000,
    line: #line - 5)
}

@inline(never) @_optimize(none)
func plantErrors(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let error: any Error = PlantedError(number: number)
    leak(HeldError(error: error), if: number % churn == 0)
  }
  return Planted("error", type: "Survivors.PlantedError", count: count, line: #line - 3)
}

@inline(never) @_optimize(none)
func plantActors(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let instance = PlantedActor(number)
    leak(instance, if: number % churn == 0)
  }
  return Planted("actor", type: "Survivors.PlantedActor", count: count, line: #line - 3)
}

@inline(never) @_optimize(none)
func plantIndirectPayloads(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let tree = PlantedTree.node((number, 1, 2, 3, 4, 5), .leaf)
    leak(tree, if: number % churn == 0)
  }
  return Planted("indirect payload", count: count, bytes: exactly(header + 7 * 8), line: #line - 3)
}

@inline(never) @_optimize(none)
func plantManagedBuffers(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let buffer = PlantedBuffer.create(minimumCapacity: 301) { _ in number }
    leak(buffer, if: number % churn == 0)
  }
  return Planted(
    "managed buffer", type: "Survivors.PlantedBuffer", count: count, bytes: exactly(header + 8 + 301),
    line: #line - 5)
}

@inline(never) @_optimize(none)
func plantPinned(_ count: Int) -> Planted {
  for number in 0..<count * churn {
    let object = PlantedPinned(number)
    if number % churn == 0 { leak(HeldUnowned(object: object)) }
  }
  return Planted(
    "pinned", type: "Survivors.PlantedPinned", count: count, bytes: exactly(header + 8), strongCount: 0,
    isPinned: true, line: #line - 5)
}
