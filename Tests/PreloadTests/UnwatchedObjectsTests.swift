import TestSupport
import Testing

/// What the recorder cannot see makes no clean report: objects of a second Swift runtime, and of a replaced hook.
struct UnwatchedObjectsTests {
  static let plugin = """
    final class Node { var next: Node? }
    @_cdecl("plug") public func plug() {
      for _ in 0..<5 {
        let (a, b) = (Node(), Node())
        (a.next, b.next) = (b, a)
      }
    }
    """
  static let loader = """
    @_silgen_name("load") func load(_ path: UnsafePointer<CChar>)
    load(CommandLine.arguments[1])
    """
  static func loading(by function: String) -> String {
    """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    void load(const char *path) {
        void (*plug)(void) = dlsym(\(function), "plug");
        plug();
    }
    """
  }

  let folder: TemporaryFolder
  var program: String { folder.path("program") }
  var library: String { folder.path("libplugin.so") }

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "a library with another Swift runtime than the program's is named",
    arguments: [
      (program: ["-static-stdlib"], library: [], load: "dlopen(path, RTLD_NOW)"),
      (program: [], library: ["-static-stdlib"], load: "dlopen(path, RTLD_NOW)"),
      (program: [], library: [], load: "dlmopen(LM_ID_NEWLM, path, RTLD_NOW)"),
    ])
  func secondRuntime(program: [String], library: [String], load: String) throws {
    try compile(program: program, library: library, load)
    let run = try watch([self.library])
    #expect(run.status == .exited(3))
    #expect(run.standardError.contains("LEAKS COULD NOT BE EVALUATED"))
    #expect(run.standardError.contains("second Swift runtime, which is not watched: objects of libplugin.so"))
    #expect(try folder.text(of: "report.json").contains(#""complete": false"#))
  }

  @Test("a library with the program's runtime is watched as a whole")
  func oneRuntime() throws {
    try compile(program: [], library: [], "dlopen(path, RTLD_NOW)")
    let run = try watch([library])
    #expect(run.status == .exited(1))
    #expect(!run.standardError.contains("second Swift runtime"))
  }

  @Test(
    "a replaced hook is reported, one that is called by another is not",
    arguments: [
      ("return allocate(metadata, bytes);", Int32(3)), ("return before(metadata, bytes, mask);", Int32(0)),
    ])
  func replacedHook(body: String, status: Int32) throws {
    let replaced = """
      #include <stdint.h>
      #include <stdlib.h>
      typedef void *(*allocate_fn)(const void *, size_t, size_t);
      extern allocate_fn _swift_allocObject;
      static allocate_fn before;
      static void *allocate(const void *metadata, size_t bytes) {
          uintptr_t *object = malloc(bytes);
          object[0] = (uintptr_t)metadata;
          object[1] = 3;
          return object;
      }
      static void *replacement(const void *metadata, size_t bytes, size_t mask) {
          (void)allocate;
          \(body)
      }
      void replace(void) {
          before = _swift_allocObject;
          _swift_allocObject = replacement;
      }
      """
    let source = """
      @_silgen_name("replace") func replace()
      replace()
      print("done")
      """
    try compile(source, with: replaced, [])
    let run = try watch([])
    #expect(run.status == .exited(status), "\(run.standardError)")
    #expect(run.standardError.contains("were replaced after the start") == (status == 3))
  }

  private func compile(program: [String], library: [String], _ load: String) throws {
    try Compiler.compile(
      [try folder.source(Self.plugin, named: "plugin.swift")], ["-emit-library"] + library, to: self.library)
    try compile(Self.loader, with: Self.loading(by: load), program)
  }

  private func compile(_ swift: String, with c: String, _ arguments: [String]) throws {
    try Compiler.run("clang", ["-w", "-c", try folder.source(c), "-o", folder.path("c.o")])
    try Compiler.compile(
      [try folder.source(swift, named: "main.swift")], arguments + [folder.path("c.o")], to: program)
  }

  private func watch(_ arguments: [String]) throws -> ProgramRun {
    try runProgram(
      BuiltProducts.tool,
      ["run", "--text", "/dev/stderr", "--json", folder.path("report.json"), "--", program] + arguments)
  }
}
