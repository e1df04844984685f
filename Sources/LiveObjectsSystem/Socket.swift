/// One end of a connection between this process and another.
package struct Socket {
  package enum Event {
    /// Bytes were sent, or this number was received.
    case progress(Int)
    /// Nothing was sent or received within the timeout.
    case timedOut
    /// The other side is gone, or this end is no longer ours.
    case end
  }

  package let descriptor: CInt
  private let file: FileVersion

  /// Two ends, which no child inherits.
  package static func pair() throws(SystemError) -> (Socket, Socket) {
    var descriptors: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, streamKind, 0, &descriptors) == 0 else { throw SystemError(code: errno) }
    let first: Socket
    do throws(SystemError) {
      first = try Socket(moving: descriptors[0])
    } catch {
      _ = closeDescriptor(descriptors[1])
      throw error
    }
    do throws(SystemError) {
      return (first, try Socket(moving: descriptors[1]))
    } catch {
      first.close()
      throw error
    }
  }

  /// Connects to a Unix socket of another process.
  package static func connected(to path: String) throws(SystemError) -> Socket {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      // A NUL byte ends it.
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    guard fits else { throw SystemError(code: ENAMETOOLONG) }
    let descriptor = socket(AF_UNIX, streamKind, 0)
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    let result = withUnsafeBytes(of: &address) {
      connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    guard result == 0 else {
      let error = SystemError(code: errno)
      _ = closeDescriptor(descriptor)
      throw error
    }
    return try Socket(moving: descriptor)
  }

  private init(moving descriptor: CInt) throws(SystemError) {
    let moved = try movingAboveStandardStreams(descriptor)
    guard let file = FileVersion(of: moved) else { throw SystemError(code: errno) }
    self.descriptor = moved
    self.file = file
    #if canImport(Darwin)
      var isOn: CInt = 1
      setsockopt(moved, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<CInt>.size))
    #endif
  }

  /// The process that has made the other end, or listened for it, and its user then; `nil` where the system does not
  /// say.
  package var peer: (process: pid_t, user: uid_t)? {
    #if canImport(Glibc)
      var credentials: [UInt32] = [0, 0, 0]  // of the process, the user and the group
      var size = socklen_t(MemoryLayout<UInt32>.size * credentials.count)
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
      return (pid_t(bitPattern: credentials[0]), uid_t(credentials[1]))
    #else
      return nil
    #endif
  }

  /// Closes this end, but no file that the host has opened under the same number.
  package func close() {
    if isOurs { _ = closeDescriptor(descriptor) }
  }

  private var isOurs: Bool { FileVersion(of: descriptor)?.isSameFile(as: file) == true }

  /// Waits until something can be sent or received, and does that.
  package func exchange(_ rest: inout ArraySlice<UInt8>, _ received: inout [UInt8], timeout: Duration)
    -> Event
  {
    let deadline = ContinuousClock.now + timeout
    while isOurs {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return .timedOut }
      // At most a second, so that an end that the host has replaced meanwhile is noticed.
      let milliseconds = min(left / .milliseconds(1), 1000) + 1
      var waiting = pollfd(
        fd: descriptor, events: Int16(rest.isEmpty ? POLLIN : POLLIN | POLLOUT), revents: 0)
      guard poll(&waiting, 1, CInt(milliseconds)) > 0 else { continue }
      if let event = receiveMore(&received) ?? sendMore(&rest) { return event }
    }
    return .end
  }

  /// - Returns: `nil` if there is nothing to receive.
  private func receiveMore(_ received: inout [UInt8]) -> Event? {
    let count = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, dontWait)
      if count > 0 { received.append(contentsOf: buffer[..<count]) }
      return count
    }
    return count > 0 ? .progress(count) : count < 0 && isPassing(errno) ? nil : .end
  }

  /// - Returns: `nil` if there is nothing to send, or no room for it.
  private func sendMore(_ rest: inout ArraySlice<UInt8>) -> Event? {
    guard !rest.isEmpty else { return nil }
    // Without SIGPIPE.
    let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, dontWait | dontSignal) }
    guard count >= 0 else { return isPassing(errno) ? nil : .end }
    rest = rest.dropFirst(count)
    return .progress(0)
  }
}

#if canImport(Glibc)
  private let streamKind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
#else
  private let streamKind = SOCK_STREAM
#endif
private let dontWait = CInt(MSG_DONTWAIT)
#if canImport(Darwin)
  private let dontSignal: CInt = 0
#else
  private let dontSignal = CInt(MSG_NOSIGNAL)
#endif

private func closeDescriptor(_ descriptor: CInt) -> CInt { close(descriptor) }

private func isPassing(_ error: CInt) -> Bool { error == EAGAIN || error == EWOULDBLOCK || error == EINTR }
