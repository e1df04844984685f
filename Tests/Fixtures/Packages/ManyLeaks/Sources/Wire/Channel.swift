/// A channel and its pipeline hold each other until the channel is closed, as in SwiftNIO.
public final class Channel {
  fileprivate var pipeline: Pipeline?

  public init() {
    let pipeline = Pipeline(of: self)
    for _ in 1...2 { pipeline.add(Handler()) }
    self.pipeline = pipeline
  }

  public var handlers: Int { pipeline?.count ?? 0 }

  public func close() {
    pipeline?.removeAll()
    pipeline = nil
  }
}

final class Pipeline {
  private let channel: Channel
  private var first: Context?
  private(set) var count = 0

  init(of channel: Channel) { self.channel = channel }

  func add(_ handler: Handler) {
    first = Context(handler, of: self, before: first)
    count += 1
  }

  func removeAll() { first = nil }
}

/// A handler's place in a pipeline.
final class Context {
  let handler: Handler
  let pipeline: Pipeline
  let next: Context?

  init(_ handler: Handler, of pipeline: Pipeline, before next: Context?) {
    (self.handler, self.pipeline, self.next) = (handler, pipeline, next)
  }
}

final class Handler {
  init() {}
}
