import Testing

/// Real programs with leaks of every kind, and programs without leaks.
@Suite enum Scenarios {}
