// Leaves a known number of objects of each kind behind, a different prime each, and prints the truth.

let planted = [
  plantClasses(101),
  plantGenericClasses(103),
  plantClosures(107),
  plantCapturedVariables(109),
  plantExistentials(113),
  plantArrays(127),
  plantDictionaries(131),
  plantSets(137),
  plantStrings(139),
  plantErrors(149),
  plantActors(151),
  plantIndirectPayloads(157),
  plantManagedBuffers(163),
  plantPinned(167),
  plantGenericBoxes(173, of: PlantedValue(number: 1)),
]

print("[")
print(planted.map(\.json).joined(separator: ",\n"))
print("]")
