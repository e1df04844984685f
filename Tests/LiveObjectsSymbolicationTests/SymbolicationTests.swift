import CaptureFixtures
import Foundation
import LiveObjectsAnalysis
import LiveObjectsCapture
import TestSupport
import Testing

@testable import LiveObjectsSymbolication

@Suite("Symbolication names frames")
struct SymbolicationTests {
  @Test("with function, module, file and line by llvm-symbolizer")
  func namesFileAndLine() throws {
    let (frame, line) = makeFrame()
    let symbolicator = BinarySymbolicator()
    let named = try #require(symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first)

    #expect(named.function == "makeFrame()")
    #expect(named.module == "LiveObjectsSymbolicationTests")
    #expect(named.file == #filePath)
    #expect(named.line == line)
    #expect(!named.isSystem)
    #expect(symbolicator.notes.isEmpty)
  }

  @Test("of several captures by one run of llvm-symbolizer")
  func namesAllInOneRun() throws {
    let (frame, line) = makeFrame()
    let other = Frame(image: 0, offset: frame.offset + 1)
    let real = try #require(SymbolizerSearch().symbolizer(forProcessWith: []))
    let folder = try makeSymbolizer("echo run >> \"$0.runs\"; exec '\(real)' \"$@\"")
    let symbolicator = BinarySymbolicator(binaries: nil, search: SymbolizerSearch(folders: [folder.path]))
    symbolicator.prepare([([frame], ownCapture), ([other], ownCapture)])
    let named = [frame, other].map { symbolicator.symbolicate([$0], of: ownCapture)[$0]?.first?.line }
    #expect(named == [line, line])
    #expect(try String(contentsOfFile: folder.path("llvm-symbolizer.runs"), encoding: .utf8) == "run\n")
  }

  @Test("of the toolchain from their symbol tables, which takes no llvm-symbolizer")
  func namesSystemFramesAlone() throws {
    let folder = try makeSymbolizer("echo run >> \"$0.runs\"; exit 1")
    let maps = try #require(FileHandle(forReadingAtPath: "/proc/self/maps")).readDataToEndOfFile()
    let files = String(decoding: maps, as: UTF8.self).split { " \n".contains($0) }
    let runtime = String(try #require(files.first { $0.hasSuffix("/libswiftCore.so") }))
    var capture = ownCapture
    let file = try #require(ELFFile(path: runtime))
    capture.images[0] = Image(addresses: 0..<1, buildID: file.buildID, path: runtime, isSystem: true)
    let table = SymbolTable(of: file, .functions).all
    let function = try #require(table.first { $0.name == "swift_retainCount" }).address
    let method = try #require(table.first { $0.name.hasPrefix("_ZNSt6vector") }).address

    let symbolicator = BinarySymbolicator(binaries: nil, search: SymbolizerSearch(folders: [folder.path]))
    let frames = [function, method].map { Frame(image: 0, offset: $0 + 1) }
    let named = symbolicator.symbolicate(Set(frames), of: capture)
    #expect(named[frames[0]]?.first?.function == "swift_retainCount")
    #expect(named[frames[1]]?.first?.function?.contains("std::vector") == true)
    #expect(symbolicator.notes.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path("llvm-symbolizer.runs")))
  }

  @Test("without file and line if llvm-symbolizer is missing, and says so once")
  func namesFunctionsWithoutSymbolizer() throws {
    let (frame, _) = makeFrame()
    let symbolicator = BinarySymbolicator(binaries: nil, search: SymbolizerSearch(folders: []))
    let named = try #require(symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first)
    _ = symbolicator.symbolicate([Frame(image: 0, offset: frame.offset + 1)], of: ownCapture)

    #expect(named.function == "makeFrame()")
    #expect(named.file == nil)
    #expect(symbolicator.notes.count == 1)
    #expect(symbolicator.notes.first?.contains("llvm-symbolizer was not found") == true)
  }

  @Test("from the symbol table if llvm-symbolizer fails", arguments: ["exit 1", "kill -9 $$"])
  func namesFunctionsWhenTheSymbolizerFails(script: String) throws {
    let folder = try makeSymbolizer(script)
    let (frame, _) = makeFrame()
    let search = SymbolizerSearch(folders: [folder.path])
    let symbolicator = BinarySymbolicator(binaries: nil, search: search)
    let named = symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first

    #expect(named?.function == "makeFrame()")
    #expect(symbolicator.notes.contains { $0.contains("llvm-symbolizer failed") })
  }

  @Test(
    "again in the next report, also if llvm-symbolizer was missing, but not frames that already have names"
  )
  func triesAgainInAnotherReport() throws {
    let real = try #require(SymbolizerSearch().symbolizer(forProcessWith: []))
    let folder = try makeSymbolizer("echo run >> \"$0.runs\"; exec '\(real)' \"$@\"")
    let (path, aside) = (folder.path("llvm-symbolizer"), folder.path("aside"))
    try FileManager.default.moveItem(atPath: path, toPath: aside)
    let (frame, line) = makeFrame()
    let symbolicator = BinarySymbolicator(binaries: nil, search: SymbolizerSearch(folders: [folder.path]))
    let named = try (0..<3).map { report in
      if report == 1 { try FileManager.default.moveItem(atPath: aside, toPath: path) }
      symbolicator.beginReport()
      let named = symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first
      return (line: named?.line, notes: symbolicator.notes.count)
    }
    #expect(named.map(\.line) == [nil, line, line])
    #expect(named.map(\.notes) == [1, 0, 0])
    #expect(try String(contentsOfFile: folder.path("llvm-symbolizer.runs"), encoding: .utf8) == "run\n")
  }

  @Test("no longer from a file that another build replaced meanwhile")
  func rejectsAReplacedFile() throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try FileManager.default.copyItem(atPath: ownExecutable, toPath: program)
    let (frame, line) = makeFrame()
    var capture = ownCapture
    capture.images[0].path = program
    let symbolicator = BinarySymbolicator()
    #expect(symbolicator.symbolicate([frame], of: capture)[frame]?.first?.line == line)

    try FileManager.default.removeItem(atPath: program)
    try FileManager.default.copyItem(atPath: "/bin/sh".resolvingLinks!, toPath: program)
    #expect(symbolicator.symbolicate([frame], of: capture)[frame]?.first?.function == nil)
    #expect(symbolicator.notes.first?.hasPrefix("\(program): another build (build id differs)") == true)
  }

  @Test("from the symbol table if llvm-symbolizer prints nonsense")
  func namesFunctionsDespiteNonsense() throws {
    #expect(try named(by: "echo nonsense; echo; echo 0x1; echo; echo x").function == "makeFrame()")
  }

  @Test("from the symbol table if llvm-symbolizer prints without end")
  func namesFunctionsDespiteEndlessOutput() throws {
    #expect(try named(by: "exec yes").function == "makeFrame()")
  }

  @Test("without a line if the compiler recorded none")
  func inventsNoLine() throws {
    let script = """
      while read -r line; do
        case "$*" in
          *--skip-line-zero*) echo "${line##* }"; echo f; echo "  Filename: /demo.swift"; echo "  Line: 7"; echo ;;
          *) echo "${line##* }"; echo f; echo "  Filename: /demo.swift"; echo "  Line: 0"; echo ;;
        esac
      done
      """
    let named = try named(by: script)
    #expect(named.file == "/demo.swift")
    #expect(named.line == nil)
  }

  @Test("as one of several, and without file and line, if the optimiser merged functions")
  func hasNoLineForMergedFunctions() throws {
    let named = try named(
      by: """
        while read -r line; do
          echo "${line##* }"; echo '$s4Demo6LoaderC4loadyyFTm'; echo /demo.swift:7:1; echo
        done
        """)
    #expect(named.function == "Loader.load() (or one merged with it)")
    #expect(named.file == nil)
    #expect(named.line == nil)
  }

  @Test("without lines if a program has no debug information, and says so")
  func reportsMissingDebugInformation() throws {
    let folder = try TemporaryFolder()
    let program = folder.path("program")
    try makeExecutableWithoutDebugInformation(at: program)
    let (frame, _) = makeFrame()
    var capture = ownCapture
    capture.images[0].path = program
    let symbolicator = BinarySymbolicator()
    let named = try #require(symbolicator.symbolicate([frame], of: capture)[frame]?.first)

    #expect(named.function == "makeFrame()")
    #expect(named.file == nil)
    #expect(
      symbolicator.notes == [
        "\(program): no debug information, so lines are missing: build with -g."
      ])
  }

  @Test("only from the file that ran")
  func rejectsARebuiltFile() throws {
    let (frame, _) = makeFrame()
    var capture = ownCapture
    capture.images[0].buildID = [1, 2, 3]
    let symbolicator = BinarySymbolicator()
    let named = try #require(symbolicator.symbolicate([frame], of: capture)[frame]?.first)

    #expect(named.function == nil)
    #expect(named.module == capture.images[0].path.fileName)
    #expect(symbolicator.notes.first?.hasPrefix("\(ownExecutable): another build (build id differs)") == true)
  }

  @Test("from a file elsewhere that has the right build id")
  func findsBinariesByBuildID() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("deep"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("deep/renamed"), withDestinationPath: ownExecutable)
    let (frame, line) = makeFrame()
    var capture = ownCapture
    capture.images[0].path = "/elsewhere/program"

    let named = BinarySymbolicator(binaries: folder.path).symbolicate([frame], of: capture)[frame]?.first
    #expect(named?.line == line)

    let lost = BinarySymbolicator()
    #expect(lost.symbolicate([frame], of: capture)[frame]?.first?.function == nil)
    #expect(lost.notes.first?.contains("--binaries") == true)
  }

  @Test("from the file's own path if the folder has another build, and says so")
  func ignoresOtherBuilds() throws {
    let folder = try TemporaryFolder()
    let other = folder.path(ownExecutable.fileName)
    try FileManager.default.copyItem(atPath: "/bin/sh".resolvingLinks!, toPath: other)
    let (frame, line) = makeFrame()
    let symbolicator = BinarySymbolicator(binaries: folder.path)

    #expect(symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first?.line == line)
    #expect(
      symbolicator.notes == [
        "\(other): another build (build id differs) than the one that ran, so not used."
      ])
  }

  @Test("of every kind, mapped or not")
  func answersEveryFrame() {
    let frames: Set<Frame> = [
      Frame(image: nil, offset: 0x1234), Frame(image: 7, offset: 1), Frame(image: 0, offset: 0),
      Frame(image: 0, offset: .max), Frame(image: 1, offset: 16),
    ]
    var capture = ownCapture
    capture.images.append(Image(addresses: 0..<1, path: "linux-vdso.so.1", isSystem: true))
    let symbolicator = BinarySymbolicator()
    let named = symbolicator.symbolicate(frames, of: capture)

    #expect(Set(named.keys) == frames)
    #expect(named.values.allSatisfy { !$0.isEmpty })
    #expect(named[Frame(image: 1, offset: 16)]?.first?.isSystem == true)
    #expect(symbolicator.notes.isEmpty)
  }

  @Test("by the ten thousand")
  func namesManyFrames() throws {
    let (frame, _) = makeFrame()
    let frames = Set((0..<10_000).map { Frame(image: 0, offset: frame.offset + $0) })
    let named = BinarySymbolicator().symbolicate(frames, of: ownCapture)

    #expect(named.count == frames.count)
    #expect(named.values.filter { $0[0].function != nil }.count > 5_000)
  }
}

// MARK: - Frames of this process

/// The frame of `makeFrame` with the name from a fake llvm-symbolizer.
private func named(by script: String) throws -> SourceFrame {
  let folder = try makeSymbolizer(script)
  let (frame, _) = makeFrame()
  let symbolicator = BinarySymbolicator(binaries: nil, search: SymbolizerSearch(folders: [folder.path]))
  return try #require(symbolicator.symbolicate([frame], of: ownCapture)[frame]?.first)
}

/// A frame of this function, and the line it is in.
@inline(never)
func makeFrame() -> (frame: Frame, line: Int) {
  let (addresses, line) = (Thread.callStackReturnAddresses.map(\.uint64Value), #line)
  let own = addresses.first(where: ownAddresses.contains)!
  return (Frame(image: 0, offset: own - ownAddresses.lowerBound), line)
}

/// A copy of this executable whose debug information is not found, because its section has another name.
private func makeExecutableWithoutDebugInformation(at path: String) throws {
  var bytes = try Data(contentsOf: URL(fileURLWithPath: ownExecutable))
  let name = try #require(bytes.range(of: Data("\0.debug_info\0".utf8), options: .backwards))
  bytes.replaceSubrange(name, with: Data("\0.renamed_xx\0".utf8))
  try bytes.write(to: URL(fileURLWithPath: path))
}

/// A folder with a script as a fake llvm-symbolizer.
func makeSymbolizer(_ script: String) throws -> TemporaryFolder {
  let folder = try TemporaryFolder()
  try folder.writeScript(script, to: "llvm-symbolizer")
  return folder
}
