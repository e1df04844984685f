import Foundation
import LiveObjectsCapture

@testable import LiveObjectsSymbolication

/// The executable that runs these tests.
let ownExecutable = "/proc/self/exe".resolvingLinks!

/// Where the running executable is mapped; its load bias is the first of these addresses.
let ownAddresses: Range<UInt64> = {
  let maps = String(decoding: FileManager.default.contents(atPath: "/proc/self/maps")!, as: UTF8.self)
  let own = maps.split(separator: "\n").filter { $0.hasSuffix(" " + ownExecutable) }
    .map { $0.prefix { $0 != " " }.split(separator: "-").map { UInt64($0, radix: 16)! } }
  return own.first![0]..<own.last![1]
}()

/// A capture of it without objects.
let ownCapture = {
  var capture = Capture(
    process: ProcessDescription(id: 1, executable: ownExecutable),
    tracking: TrackingStatus(state: .tracking))
  capture.images = [
    Image(
      addresses: ownAddresses, buildID: ELFFile(path: ownExecutable)!.buildID, path: ownExecutable)
  ]
  return capture
}()
