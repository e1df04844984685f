import ArgumentParser

@main
struct LiveObjectsTool: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "liveobjects")
}
