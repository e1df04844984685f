import LiveObjectsCapture

/// The heap graph of a capture. The first call creates the graph.
extension CaptureBuilder {
  /// Weak or unowned references to an object were formed.
  public mutating func visit(_ object: UInt32) { capture.objects[Int(object)].wasWeaklyReferenced = true }

  /// Sets how well the heap was read; by default, it was read in full while one thread was alive.
  public mutating func heapGraph(_ status: HeapGraph.Status = HeapGraph().status) {
    graph.status = status
  }

  /// One object with this strong count.
  ///
  /// - Returns: its ordinal, an index into `Capture.objects`.
  public mutating func object(
    of type: Int, bytes: UInt64 = 32, stackTrace: UInt32 = 0, scope: UInt32 = 0,
    strongCount: UInt32? = 1
  ) -> UInt32 {
    let indices = objects(
      of: type, bytes: bytes, stackTrace: stackTrace, scope: scope, strongCount: strongCount)
    return UInt32(indices.lowerBound)
  }

  /// A reference between two objects, by their ordinals. Those of one source stay in the order in
  /// which they were made.
  public mutating func reference(
    from source: UInt32, to target: UInt32, _ label: ReferenceLabel, element: UInt32? = nil,
    function: UInt32? = nil
  ) {
    let reference = Reference(
      from: source, to: target, label: self.label(label), element: element, function: function)
    var index = graph.references.endIndex
    while index > 0, graph.references[index - 1].source > source { index -= 1 }
    graph.references.insert(reference, at: index)
  }

  /// Two objects that hold each other in these properties.
  public mutating func cycle(_ first: UInt32, _ property: String, _ second: UInt32, _ back: String) {
    reference(from: first, to: second, property: property)
    reference(from: second, to: first, property: back)
  }

  /// An object that holds itself.
  public mutating func leakItself(_ type: Int, scope: UInt32 = 0) {
    let object = object(of: type, scope: scope)
    reference(from: object, to: object, property: "next")
  }

  /// Replaces all references by these, which are sorted by their sources.
  public mutating func references(_ references: [Reference]) {
    graph.references = references
  }

  /// A reference in a stored property.
  public mutating func reference(
    from source: UInt32, to target: UInt32, property text: String,
    _ ownership: ReferenceLabel.Ownership = .strong, function: UInt32? = nil
  ) {
    let label = ReferenceLabel(.property, ownership: ownership, text: text)
    reference(from: source, to: target, label, function: function)
  }

  /// The number of elements in a storage.
  public mutating func elements(_ storage: UInt32, _ count: UInt32) {
    graph.elementCounts.append(ElementCount(object: storage, count: count))
    graph.elementCounts.sort { $0.object < $1.object }
  }

  /// A block of the allocator that the objects point to, after those that are there; the owners come in the order of
  /// their ordinals.
  ///
  /// - Returns: an index into `HeapGraph.blocks`.
  public mutating func block(of bytes: UInt64, ownedBy owners: [UInt32]) -> Int {
    let block = graph.blocks.count
    graph.blocks.append(bytes)
    graph.blockOwners += owners.map { BlockOwner(object: $0, block: UInt32(block)) }
    graph.blockOwners.sort { ($0.object, $0.block) < ($1.object, $1.block) }
    return block
  }

  /// A raw buffer to which no word leads; they come in the order of their ordinals.
  public mutating func lost(_ buffer: UInt32) { graph.lostBuffers.append(buffer) }

  /// - Returns: an index into `HeapGraph.labels`, the same for equal labels.
  @discardableResult
  public mutating func label(_ label: ReferenceLabel) -> UInt32 {
    if let index = graph.labels.firstIndex(of: label) { return UInt32(index) }
    graph.labels.append(label)
    return UInt32(graph.labels.count - 1)
  }

  /// A closure's code, by the address one past its first.
  ///
  /// - Returns: an index into `HeapGraph.functions`.
  public mutating func function(_ offset: UInt64, image: Int? = 0) -> UInt32 {
    graph.functions.append(Frame(image: image, offset: offset))
    return UInt32(graph.functions.count - 1)
  }

  /// A word outside of the heap that refers to an object.
  public mutating func root(
    _ place: Root.Place, to target: UInt32, isInUse: Bool = false, isDisguised: Bool = false
  ) {
    graph.roots.append(Root(place, target: target, isInUse: isInUse, isDisguised: isDisguised))
  }

  /// A global or static variable at `offset` that refers to an object.
  public mutating func global(_ offset: UInt64, image: Int? = 0, to target: UInt32) {
    root(.global(Frame(image: image, offset: offset)), to: target)
  }

  public mutating func task(
    _ object: UInt32, _ state: TaskDescription.State, wait: TaskDescription.Wait = .nothing,
    hasActiveChild: Bool = false, isInExecutor: Bool = false, frames: [Frame] = []
  ) {
    graph.tasks.append(
      TaskDescription(
        object: object, state: state, wait: wait, hasActiveChild: hasActiveChild,
        isInExecutor: isInExecutor, frames: frames))
  }

  public mutating func retainSite(
    _ object: UInt32, stackTrace: UInt32, retains: UInt32, releases: UInt32
  ) {
    graph.retainSites.append(
      RetainSite(object: object, stackTrace: stackTrace, retains: retains, releases: releases))
  }

  /// - Parameter names: the nearest first.
  public mutating func superclasses(of type: Int, _ names: [String]) {
    graph.superclasses[type] = names
  }

  private var graph: HeapGraph {
    get { capture.graph ?? HeapGraph() }
    _modify {
      if capture.graph == nil { capture.graph = HeapGraph() }
      yield &capture.graph!
    }
  }
}
