import TestSupport
import Testing

/// What the kernel puts around the list of the environment is still there: the Swift runtime looks for a program's
/// arguments before it, and others for the auxiliary vector behind it.
struct InitialStackTests {
  static let show = """
    import Glibc

    @_cdecl("show") public func show() {
      var end = environ
      while end.pointee != nil { end += 1 }
      let vector = UnsafeRawPointer(end + 1).assumingMemoryBound(to: UInt.self)
      let page = stride(from: 0, to: 80, by: 2).first { vector[$0] == UInt(AT_PAGESZ) }.map { vector[$0 + 1] }
      print(CommandLine.arguments, page as Any)
    }
    """

  let folder: TemporaryFolder
  var program: String { folder.path("program") }

  init() throws { folder = try TemporaryFolder() }

  @Test("a program with the Swift runtime inside it has its arguments")
  func staticProgram() throws {
    try Compiler.compile(
      [try folder.source(Self.show, named: "show.swift"), try folder.source("show()", named: "main.swift")],
      ["-static-stdlib"], to: program)
    try expectUnchanged([])
  }

  @Test("a program that loads the Swift runtime later has its arguments")
  func laterRuntime() throws {
    let library = folder.path("libshow.so")
    try Compiler.compile([try folder.source(Self.show, named: "show.swift")], ["-emit-library"], to: library)
    let host = """
      #include <dlfcn.h>
      int main(int count, char **arguments) {
          void (*show)(void) = dlsym(dlopen(arguments[count - 1], RTLD_NOW), "show");
          return show ? show(), 0 : 1;
      }
      """
    try Compiler.run("clang", ["-w", try folder.source(host), "-ldl", "-o", program])
    try expectUnchanged([library])
  }

  /// With and without the variable of the options.
  private func expectUnchanged(_ last: [String]) throws {
    let arguments = ["a", "b c"] + last
    let plain = try runProgram(program, arguments)
    #expect(plain.status == .exited(0))
    for options in [nil, "stacks=off"] {
      let run = try runPreloaded(program, arguments, environment: ["LIVEOBJECTS_OPTIONS": options])
      #expect(run.status == plain.status)
      #expect(run.standardOutput == plain.standardOutput)
    }
  }
}
