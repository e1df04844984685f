/// Cycles of objects and their properties: `Objects.swift` and `Properties.swift` of the fixture.
extension ExpectedFinding {
  static let objects: [ExpectedFinding] = [
    .cycle("twoObjects", ["Author → book", "Book → author"], objects: 2),
    .cycle(
      "threeObjects", ["Album → band", "Band → city", "City → favourite"], objects: 3),
    .cycle(
      "twoCyclesOfOneKind", ["Author → book", "Book → author"], instances: 2, objects: 4,
      in: "plantTwoObjects()"),
    .cycle(
      "cycleWithVictims", ["Engine → car", "Vehicle → engine"], objects: 9, victims: 7),
    .cycle("figureEight", ["Hub → left", "Spoke → hub"], objects: 3),
    .cycle("itself", ["Singleton → itself"], objects: 1),
    .cycle("inheritedProperty", ["Engine → car", "Truck → engine"], victims: 7),
    .cycle("genericClass", ["Box<Boxed> → value", "Boxed → box"], objects: 2),
    .cycle("genericSuperclass", ["Session → value", "Session.User → session"], objects: 2),
    .cycle("localType", ["Local → next", "Local → next"], objects: 2),
    .cycle("longCycle", ["Link → next"], objects: 100_000),
  ]

  static let properties: [ExpectedFinding] = [
    .cycle("lazyObject", ["Page → toolbar", "Toolbar → page"], objects: 2),
    .cycle("propertyWrapper", ["Field → form", "Form → _field.value"], objects: 2),
    .cycle("observable", ["Model → _onSave", "closure #1 in Model.start() → self"], victims: 2),
    .cycle("mutexState", ["Registry → state.owner"]),
    .cycle("privateProperty", ["Vault → key", "Vault.Key → vault"], objects: 2),
    .cycle("unownedBeside", ["Document → window", "Window → document"], objects: 2),
    .cycle("implicitlyUnwrapped", ["Controller → view", "View → controller"], objects: 2),
    .cycle("managedBuffer", ["Ring → buffer", "RingBuffer → header.owner"], objects: 2),
    .cycle("noncopyable", ["House → lease.tenant", "Tenant → house"], objects: 2),
    .cycle("noncopyableInGeneric", ["Library<Swift.Int> → policy.owner"]),
  ]
}
