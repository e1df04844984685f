import Foundation
import LiveObjectsSystem
import TestSupport
import Testing

@Suite("A file that a capture names")
struct StoredFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path("file")))
  }

  @Test("is found through links")
  func followsLinks() throws {
    try link("link", to: "file")
    try link("folder", to: folder.path)
    for path in ["file", "link", "folder/link", "./folder/../\(folder.path.fileName)//link"] {
      #expect(storedFile(folder.path(path))?.fileName == "file")
    }
    #expect(storedFile("/../bin/sh") == "/bin/sh".resolvingLinks)
  }

  @Test("is not opened if it is virtual, depends on the current folder, or would be mounted first")
  func rejectsVirtualFiles() throws {
    try link("loop", to: "loop")
    try link("out", to: "/proc/self/maps")
    let paths = [
      "file", "", folder.path("loop"), folder.path("out"), String(repeating: "/x", count: 10_000),
      "/proc/self/exe",
      "/dev/../proc/self/maps", "//sys/kernel/notes", "/net/host/library.so", "/usr/../net/host/library.so",
    ]
    for path in paths { #expect(storedFile(path) == nil, "\(path)") }
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
  }
}
