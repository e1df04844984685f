public protocol ScreenDelegate: AnyObject {}

/// Keeps its delegate: leaks with whoever keeps it.
public final class Screen {
  public var delegate: (any ScreenDelegate)?
  public init() {}
}

public final class MendedScreen {
  public weak var delegate: (any ScreenDelegate)?
  public init() {}
}

public final class Coordinator: ScreenDelegate {
  public let screen = Screen()
  public init() { screen.delegate = self }
}

public final class MendedCoordinator: ScreenDelegate {
  public let screen = MendedScreen()
  public init() { screen.delegate = self }
}

/// Shows things for a while.
@MainActor public final class Presenter {
  private var presented: AnyObject?
  /// Leaks, if it is used: what was shown is never forgotten.
  public static let history = History()

  public init() {}

  public func present(_ object: AnyObject) async {
    presented = object
    await Task.yield()
  }

  public func dismiss() async {
    await Task.yield()
    presented = nil
  }
}

@MainActor public final class History {
  public var items: [AnyObject] = []
}
