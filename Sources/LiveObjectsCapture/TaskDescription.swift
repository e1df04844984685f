/// The state of an asynchronous task at the capture.
public struct TaskDescription: Sendable, Hashable {
  public enum State: UInt32, Sendable {
    case unknown = 0
    case running, enqueued, suspended, complete
  }
  public enum Wait: UInt32, Sendable {
    case nothing = 0
    case task, continuation, group, executor
  }
  /// Index into `Capture.objects`.
  public var object: UInt32
  public var state: State
  public var wait: Wait
  /// Whether nothing was found that could resume it.
  public var isLost: Bool
  /// The functions it will resume in, innermost first.
  public var frames: [Frame]

  public init(
    object: UInt32, state: State, wait: Wait = .nothing, isLost: Bool = false, frames: [Frame] = []
  ) {
    self.object = object
    self.state = state
    self.wait = wait
    self.isLost = isLost
    self.frames = frames
  }
}
