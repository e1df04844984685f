import Testing

/// Leaks of every kind in real programs: what the report says of each, and that it says nothing of what is none.
@Suite enum Scenarios {}
