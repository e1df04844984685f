/// The fields of a JSON report that the tests read.
struct MinimalReport: Decodable {
  struct Tracking: Decodable {
    var complete: Bool
    var notes: [String]
    var droppedRecords: Int
    var unevaluated: [String]?
  }
  struct TypeLine: Decodable, Equatable {
    var type: String
    var live: Int
    var growth: Int
    var bytes: Int
  }
  struct Finding: Decodable {}
  var schemaVersion: Int
  var tracking: Tracking
  var findings: [Finding]
  var types: [TypeLine]
}
