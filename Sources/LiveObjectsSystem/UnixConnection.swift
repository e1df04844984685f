/// A connection to a Unix socket of another process, for one request and one answer.
package struct UnixConnection: ~Copyable {
  private let descriptor: CInt

  /// - Parameter path: at most 107 bytes.
  package init(to path: String) throws(SystemError) {
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isTooLong = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return true }
      place.copyBytes(from: path.utf8)
      return false
    }
    if isTooLong { throw SystemError(code: ENAMETOOLONG) }
    let descriptor = socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else {
      let error = SystemError(code: errno)
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a short request.
  package borrowing func send(_ bytes: [UInt8]) throws(SystemError) {
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw SystemError(code: errno) }
  }

  /// Copies the answer to a file, until the other side ends it.
  ///
  /// - Returns: the number of bytes.
  package borrowing func receive(into file: CInt) throws(SystemError) -> Int {
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let received = read(descriptor, &buffer, buffer.count)
      if received < 0 && errno == EINTR { continue }
      guard received > 0 else {
        // The other side ended in the middle: the file says so.
        guard received == 0 || errno == ECONNRESET else { throw SystemError(code: errno) }
        return count
      }
      var rest = buffer[..<received]
      while !rest.isEmpty {
        let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written > 0 else { throw SystemError(code: errno) }
        rest = rest.dropFirst(written)
      }
      count += received
    }
  }
}
