extension UnsafeRawBufferPointer {
  /// The little-endian integer at `offset`, aligned or not.
  ///
  /// - Precondition: it lies within the buffer.
  func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
