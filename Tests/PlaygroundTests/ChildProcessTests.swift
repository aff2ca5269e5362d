import Testing

@testable import Playground

struct ChildProcessTests {
  private func shell(_ script: String, in folder: TemporaryFolder) async throws -> ChildProcess {
    try await ChildProcess.start(
      name: "shell", program: "/bin/sh", arguments: ["-c", script], environment: ["GREETING": "hello"],
      logPath: folder.path + "/log")
  }

  @Test func givesItsStatusAndItsOutput() async throws {
    let folder = try TemporaryFolder()
    let child = try await shell("echo $GREETING; echo oops >&2; exit 7", in: folder)
    #expect(await child.exit(within: 10) == 7)
    #expect(child.lastWords() == "hello\noops")
  }

  @Test func isToldToEnd() async throws {
    let folder = try TemporaryFolder()
    let child = try await shell("trap 'exit 3' TERM; echo up; while :; do :; done", in: folder)
    while child.lastWords().isEmpty, child.exitStatus == nil { await Task.yield() }
    child.terminate()
    #expect(await child.exit(within: 10) == 3)
  }

  @Test func isKilled() async throws {
    let folder = try TemporaryFolder()
    let child = try await shell("exec cat /dev/zero >/dev/null", in: folder)
    #expect(child.exitStatus == nil)
    child.kill()
    #expect(await child.exit(within: 10) == 128 + 9)
    child.kill()
  }

  @Test func aProgramThatIsNotThereEndsWithAMessage() async throws {
    let folder = try TemporaryFolder()
    let child = try await ChildProcess.start(
      name: "nothing", program: "/nowhere/nothing", arguments: [], logPath: folder.path + "/log")
    #expect(await child.exit(within: 10) == 127)
    #expect(child.lastWords().contains("/nowhere/nothing"))
  }
}
