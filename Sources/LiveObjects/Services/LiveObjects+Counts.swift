public import LiveObjectsAnalysis

extension LiveObjects {
  /// Counts the live objects of each type that were allocated since tracking started.
  ///
  /// Far cheaper than ``snapshot(references:)``: neither references nor stack traces are read, and no copy of the process
  /// is made. Other threads go on meanwhile.
  ///
  /// - Returns: the types, most bytes first.
  /// - Throws: ``TrackingError/notTracking`` unless tracking is on.
  public static func counts() throws(TrackingError) -> [TypeCount] {
    try requireTracking()
    let capture = try Recorder.counts().decoded()
    return Recorder.ignoring { capture.typeCounts }
  }
}
