/// A screen that asks its delegate, and keeps it alive.
public final class Screen {
  public var delegate: Coordinator?

  public init() {}
}

/// Owns a screen.
public final class Coordinator {
  public let screen = Screen()

  public init() {}

  /// The mistake: each keeps the other.
  @inline(never) @_optimize(none)
  public func becomeDelegate() { screen.delegate = self }
}

/// The same, mended.
public final class MendedScreen {
  public weak var delegate: MendedCoordinator?

  public init() {}
}

public final class MendedCoordinator {
  public let screen = MendedScreen()

  public init() {}

  @inline(never) @_optimize(none)
  public func becomeDelegate() { screen.delegate = self }
}
