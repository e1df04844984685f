/// How another program is run to its end: in a process of our own as a child, in anybody else's without it
/// noticing.
package struct ProgramRunner: Sendable {
  /// What to run, and the descriptors of this process that are its standard streams.
  package struct Program: Sendable {
    package var path: String
    /// Without the program's own name.
    package var arguments: [String]
    package var input: CInt
    package var output: CInt
  }

  private let body: @Sendable (Program) throws(SystemError) -> ChildProcess.Ending

  /// - Parameter body: runs a program without watching it, throws its standard error away, and bounds its time.
  package init(_ body: @escaping @Sendable (Program) throws(SystemError) -> ChildProcess.Ending) {
    self.body = body
  }

  package func run(_ program: Program) throws(SystemError) -> ChildProcess.Ending { try body(program) }
}
