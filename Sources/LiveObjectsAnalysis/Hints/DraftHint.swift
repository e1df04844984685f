/// A hint before the lines of its properties are known, so that all of them are requested in one go.
struct DraftHint {
  struct Place {
    var place: Finding.Hint.Place
    var property: StoredProperty?

    init(_ place: Finding.Hint.Place, _ property: StoredProperty? = nil) {
      (self.place, self.property) = (place, property)
    }
  }

  var action: Finding.Hint.Action
  var places: [Place]

  var properties: some Sequence<StoredProperty> { places.lazy.compactMap(\.property) }

  func located(by declarations: [StoredProperty: SourceLine]) -> Finding.Hint {
    Finding.Hint(
      action,
      at: places.map { draft in
        var place = draft.place
        if let line = draft.property.flatMap({ declarations[$0] }) {
          (place.file, place.line) = (line.file, line.line)
        }
        return place
      })
  }
}
