/// A return address. The instruction that made the call lies just before it.
public struct Frame: Sendable, Hashable {
  /// Index into `Capture.images`; `nil` where the address lies in none.
  public var image: Int?
  /// The address minus the image's load bias, or the address itself without an image.
  public var offset: UInt64

  public init(image: Int?, offset: UInt64) {
    self.image = image
    self.offset = offset
  }
}

/// A frame in the 64 bits that it takes in a capture: image id above, offset below.
struct PackedFrame {
  static let noImage = 0xffff
  static let offsetBits: UInt64 = 48
  static let offsetMask: UInt64 = (1 << offsetBits) - 1

  var bits: UInt64

  /// An image id, or `noImage`.
  var image: Int { Int(bits >> Self.offsetBits) }

  var frame: Frame {
    Frame(image: image == Self.noImage ? nil : image, offset: bits & Self.offsetMask)
  }

  /// The frame lies in none of the images, or in one that is there.
  func isValid(among images: Int) -> Bool {
    image == Self.noImage || image < images
  }

  init(bits: UInt64) {
    self.bits = bits
  }

  /// - Precondition: the bytes are a multiple of eight.
  static func all(in bytes: UnsafeRawBufferPointer) -> some Sequence<PackedFrame> {
    stride(from: 0, to: bytes.count, by: MemoryLayout<UInt64>.size).lazy.map { offset in
      PackedFrame(bits: bytes.littleEndian(UInt64.self, at: offset))
    }
  }

  init(_ frame: Frame) {
    let image = UInt64(frame.image ?? Self.noImage)
    bits = image << Self.offsetBits | frame.offset & Self.offsetMask
  }
}
