import LiveObjectsCapture

extension CaptureBuilder {
  /// The sections that say what refers to what; none if they were not requested.
  var heapGraphSections: [(tag: String, payload: [UInt8])] {
    guard let graph = capture.graph else { return [] }
    let status = ("GRPH", graph.status.payload)
    guard graph.status.wasRead else { return [status] }
    return [status] + [
      ("SUPR", graph.superclassesPayload), ("LABL", graph.labelsPayload),
      ("FUNC", graph.functionsPayload), ("REFS", graph.referencesPayload),
      ("ELEM", graph.elementCountsPayload), ("BLCK", graph.blocksPayload),
      ("LOST", ByteWriter.bytes { for buffer in graph.lostBuffers { $0.u32(buffer) } }),
      ("ROOT", graph.rootsPayload), ("TASK", graph.tasksPayload),
      ("LEDG", graph.retainSitesPayload),
    ]
  }
}

extension HeapGraph.Status {
  fileprivate var payload: [UInt8] {
    ByteWriter.bytes {
      let flags: UInt32 =
        (missesStacks ? 1 : 0) | (missesRoots ? 2 : 0) | (hasRegisters ? 4 : 0) | (isPartial ? 8 : 0)
      for word in [wasRead ? 1 : 2, threads, unreadObjects, scannedObjects, flags] { $0.u32(word) }
      $0.strings(notes)
    }
  }
}

extension HeapGraph {
  fileprivate var superclassesPayload: [UInt8] {
    ByteWriter.bytes {
      for (type, names) in superclasses.sorted(by: { $0.key < $1.key }) {
        $0.u32(UInt32(type + 1))
        $0.strings(names)
      }
    }
  }

  fileprivate var labelsPayload: [UInt8] {
    ByteWriter.bytes {
      for (index, label) in labels.enumerated() {
        for word in [UInt32(index + 1), label.kind.rawValue, label.ownership.rawValue] { $0.u32(word) }
        $0.string(label.text)
      }
    }
  }

  fileprivate var functionsPayload: [UInt8] {
    ByteWriter.bytes { for function in functions { $0.frame(function) } }
  }

  fileprivate var blocksPayload: [UInt8] {
    ByteWriter.bytes {
      for owner in blockOwners {
        $0.u32(owner.object)
        $0.u32(owner.block)
        $0.u64(blocks[Int(owner.block)])
      }
    }
  }

  fileprivate var elementCountsPayload: [UInt8] {
    ByteWriter.bytes {
      for count in elementCounts {
        $0.u32(count.object)
        $0.u32(count.count)
      }
    }
  }

  fileprivate var referencesPayload: [UInt8] {
    ByteWriter.bytes {
      for reference in references {
        let (element, function) = (reference.element ?? .max, reference.function.map { $0 + 1 } ?? 0)
        for word in [reference.source, reference.target, reference.label + 1, element, function] {
          $0.u32(word)
        }
      }
    }
  }

  fileprivate var rootsPayload: [UInt8] {
    ByteWriter.bytes { for root in roots { root.write(to: &$0) } }
  }

  fileprivate var tasksPayload: [UInt8] {
    ByteWriter.bytes { for task in tasks { task.write(to: &$0) } }
  }

  fileprivate var retainSitesPayload: [UInt8] {
    ByteWriter.bytes {
      for site in retainSites {
        for word in [site.object, site.stackTrace, site.retains, site.releases] { $0.u32(word) }
      }
    }
  }
}

extension Root {
  fileprivate func write(to writer: inout ByteWriter) {
    writer.u32(kind)
    writer.u32(target)
    switch place {
    case .global(let frame), .handler(let frame?, _): writer.frame(frame)
    case .handler(nil, _): writer.u64(0)
    case .stack(let word), .threadLocal(let word), .cMemory(let word): writer.u64(word)
    }
    if case .handler(_, of: let label?) = place {
      writer.u64(UInt64(label) + 1)
    } else {
      writer.u64((isInUse ? 1 : 0) | (isDisguised ? 2 : 0))
    }
  }

  private var kind: UInt32 {
    switch place {
    case .global: 1
    case .stack: 2
    case .threadLocal: 3
    case .cMemory: 4
    case .handler: 5
    }
  }
}

extension TaskDescription {
  fileprivate func write(to writer: inout ByteWriter) {
    let flags: UInt32 = (hasActiveChild ? 2 : 0) | (isInExecutor ? 4 : 0)
    for word in [object, state.rawValue, wait.rawValue, flags, UInt32(frames.count)] {
      writer.u32(word)
    }
    for frame in frames { writer.frame(frame) }
  }
}
