/// A screen that holds its delegate strongly.
public final class Screen {
  public var delegate: Coordinator?

  public init() {}
}

/// Owns a screen.
public final class Coordinator {
  public let screen = Screen()

  public init() {}

  /// The mistake: each holds the other.
  @inline(never) @_optimize(none)
  public func becomeDelegate() { screen.delegate = self }
}

/// The same, fixed.
public final class FixedScreen {
  public weak var delegate: FixedCoordinator?

  public init() {}
}

public final class FixedCoordinator {
  public let screen = FixedScreen()

  public init() {}

  @inline(never) @_optimize(none)
  public func becomeDelegate() { screen.delegate = self }
}
