/// Finds the objects that a piece of code left behind.
public enum LiveObjects {}
