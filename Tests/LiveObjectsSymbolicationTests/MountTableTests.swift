import Foundation
import LiveObjectsSystem
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

@Suite("The table of mounts")
struct MountTableTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write([], as: "file")
  }

  @Test("resolves links to a file that is stored on a disk")
  func followsLinks() throws {
    try link("link", to: "file")
    try link("folder", to: folder.path)
    try link("loop", to: "loop")
    let mounts = table([])
    for path in ["file", "link", "folder/link", "./folder/../\(folder.path.fileName)//link"] {
      #expect(mounts.storedFile(folder.path(path))?.fileName == "file")
    }
    #expect(mounts.storedFile(folder.path("loop")) == nil)
    #expect(mounts.storedFile("file") == nil)
    #expect(mounts.storedFile("") == nil)
    #expect(mounts.storedFile("/../bin/sh") == "/bin/sh".resolvingLinks)
    #expect(mounts.storedFile(String(repeating: "/x", count: 10_000)) == nil)
  }

  @Test("rejects files that would be mounted first or that are virtual")
  func rejectsVirtualFiles() throws {
    try link("out", to: folder.path("auto/host"))
    try link("back", to: "auto/../file")
    let mounts = table([
      (folder.path("auto"), "autofs"), (folder.path("auto/mounted"), "nfs4"), (folder.path("a b"), "proc"),
    ])
    for path in ["auto", "auto/host/file", "out", "out/file", "a b/self"] {
      #expect(mounts.storedFile(folder.path(path)) == nil)
    }
    for path in ["file", "auto/mounted/file", "automatic", "a", "back", "auto/../file"] {
      #expect(mounts.storedFile(folder.path(path)) != nil)
    }
  }

  @Test("is that of the process")
  func readsItsOwn() {
    #expect(MountTable().storedFile("/proc/self/exe") == nil)
    #expect(MountTable().storedFile("/dev/../proc/self/maps") == nil)
    #expect(MountTable().storedFile("/bin/sh") == "/bin/sh".resolvingLinks)
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
  }

  private func table(_ mounts: [(folder: String, type: String)]) -> MountTable {
    let lines = ([("/", "ext4")] + mounts).map { folder, type in
      "36 35 98:0 / \(folder.replacing(" ", with: "\\040")) rw,noatime shared:1 - \(type) none rw\n"
    }
    return MountTable(text: lines.joined())
  }
}
