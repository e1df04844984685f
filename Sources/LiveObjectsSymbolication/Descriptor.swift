#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The same open file under a number that no standard stream of a child has, and that no other child
/// inherits. A host may have closed its own standard streams, and got their numbers for this file.
package func movingAboveStandardStreams(_ descriptor: CInt) throws(SystemError) -> CInt {
  let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
  let error = errno
  close(descriptor)
  guard moved >= 0 else { throw SystemError(code: error) }
  return moved
}
