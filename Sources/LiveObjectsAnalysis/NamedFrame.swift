/// A source frame with what there is to know about its part in a stack trace. Found out once for
/// each frame, however many traces it is in.
struct NamedFrame {
  let source: SourceFrame
  let isUsers: Bool
  let isRuntimes: Bool
  let isTestRunners: Bool
  let isThreadStart: Bool
  let isCompilers: Bool
  let isInitializer: Bool
  let isStandardLibrarys: Bool
  let qualifiedFunction: String

  init(_ source: SourceFrame) {
    self.source = source
    isUsers = source.isUsers
    isRuntimes = source.isRuntimes
    isTestRunners = source.isTestRunners
    isThreadStart = source.isThreadStart
    isCompilers = source.isCompilers
    isInitializer = source.isInitializer
    isStandardLibrarys = source.isStandardLibrarys
    qualifiedFunction = source.qualifiedFunction
  }
}
