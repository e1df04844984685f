public protocol ScreenDelegate: AnyObject {}

/// Holds its delegate: a delegate that holds the screen leaks.
public final class Screen {
  public var delegate: (any ScreenDelegate)?
  public init() {}
}

public final class FixedScreen {
  public weak var delegate: (any ScreenDelegate)?
  public init() {}
}

public final class Coordinator: ScreenDelegate {
  public let screen = Screen()
  public init() { screen.delegate = self }
}

public final class FixedCoordinator: ScreenDelegate {
  public let screen = FixedScreen()
  public init() { screen.delegate = self }
}

/// Holds an object while it is presented.
@MainActor public final class Presenter {
  private var presented: AnyObject?
  /// Objects that are added here are never removed.
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
