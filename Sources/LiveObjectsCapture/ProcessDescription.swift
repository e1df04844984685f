/// The process that a capture was taken of.
public struct ProcessDescription: Sendable, Hashable {
  public var id: UInt32
  /// The ELF machine number: 62 x86_64, 183 aarch64.
  public var machine: UInt32
  /// Wall clock, nanoseconds since 1970.
  public var time: UInt64
  /// The capture holds the objects from this sequence number on.
  public var since: UInt64
  /// The next sequence number at the time of the capture.
  public var next: UInt64
  public var executable: String
  public var arguments: [String]

  /// The executable's file name, without its folder.
  public var name: String { executable.fileName }

  public init(
    id: UInt32, machine: UInt32 = 62, time: UInt64 = 0, since: UInt64 = 0, next: UInt64 = 0,
    executable: String, arguments: [String] = []
  ) {
    self.id = id
    self.machine = machine
    self.time = time
    self.since = since
    self.next = next
    self.executable = executable
    self.arguments = arguments
  }
}
