import LiveObjectsCapture

extension CaptureBuilder {
  /// The capture as a recorder writes it.
  public var bytes: [UInt8] { Self.stream(sections) }

  /// Sections by tag, the last one apart.
  public var sections: [(tag: String, payload: [UInt8])] {
    [
      ("PROC", process), ("STAT", status), ("IMAG", images), ("TYPE", types), ("OBJS", objects),
    ] + samplingSections + countSections + testSections + heapGraphSections + [("STAK", stackTraces)]
  }

  /// A stream of these sections, with its header and the section that ends it; a journal has none.
  public static func stream(_ sections: [(tag: String, payload: [UInt8])], hasEnd: Bool = true) -> [UInt8] {
    ByteWriter.bytes {
      $0.raw("LiveObj\0".utf8)
      $0.u32(1)
      $0.u32(16)
      for section in sections { $0.section(section.tag, section.payload) }
      if hasEnd { $0.section("END!", ByteWriter.bytes { $0.u64(UInt64(sections.count)) }) }
    }
  }

  private var process: [UInt8] {
    ByteWriter.bytes {
      $0.u32(capture.process.id)
      $0.u32(62)
      $0.u64(capture.process.time)
      $0.u64(0)
      $0.u64(capture.process.next)
      $0.string(capture.process.executable)
      $0.strings(capture.process.arguments)
    }
  }

  private var status: [UInt8] {
    let status = capture.tracking
    return ByteWriter.bytes {
      $0.u32(status.state.rawValue)
      $0.u32(status.hookMode.rawValue)
      $0.u32(status.stackSource.rawValue)
      $0.u32(status.countsRetains ? 1 : 0)
      $0.u32(status.depth)
      $0.u32(
        (status.wasShortOfMemory ? 2 : 0) | (status.hasBudget ? 4 : 0) | (status.wasStopped ? 8 : 0))
      let counts = [
        status.droppedRecords, status.droppedStackTraces, status.missedDeallocations, status.allocations,
        status.deallocations,
      ]
      for count in counts { $0.u64(count) }
      $0.strings(status.notes)
    }
  }

  private var samplingSections: [(tag: String, payload: [UInt8])] {
    let bytes = capture.tracking.sampleBytes
    return bytes == 0 ? [] : [("SAMP", ByteWriter.bytes { $0.u64(bytes) })]
  }

  private var images: [UInt8] {
    ByteWriter.bytes {
      for (id, image) in capture.images.enumerated() {
        $0.u32(UInt32(id))
        $0.u32(image.isSystem ? 1 : 0)
        $0.u64(image.addresses.lowerBound)
        $0.u64(image.addresses.lowerBound)
        $0.u64(image.addresses.upperBound)
        $0.byteString(image.buildID)
        $0.string(image.path)
      }
    }
  }

  private var types: [UInt8] {
    ByteWriter.bytes {
      for (index, type) in capture.types.enumerated() {
        $0.u32(UInt32(index + 1))
        $0.u32(type.kind.rawValue)
        $0.u64(type.metadata)
        $0.u32(type.image.map(UInt32.init) ?? .max)
        $0.u32(type.captureCount)
        $0.string(type.name)
      }
    }
  }

  private var objects: [UInt8] {
    ByteWriter.bytes {
      for object in capture.objects {
        for word in [object.address.value, object.bytes, object.sequence] { $0.u64(word) }
        let flags: UInt32 =
          (object.isPinned ? 1 : 0) | (object.strongCount == nil ? 2 : 0)
          | (object.wasWeaklyReferenced ? 4 : 0)
        let fields: [UInt32] = [
          UInt32(object.type + 1), object.stackTrace, object.scope, flags, object.strongCount ?? 0, 0,
        ]
        for field in fields { $0.u32(field) }
      }
    }
  }

  private var countSections: [(tag: String, payload: [UInt8])] {
    guard let counted = capture.countedTypes else { return [] }
    let payload = ByteWriter.bytes {
      for count in counted {
        $0.u32(UInt32(count.type + 1))
        $0.u32(0)
        $0.u64(count.objects)
        $0.u64(count.bytes)
      }
    }
    return [("CNTS", payload)]
  }

  private var stackTraces: [UInt8] {
    ByteWriter.bytes { for record in stackTraceRecords { record.write(to: &$0) } }
  }
}
