import Glibc
import Playground
import Runtime
import TestFixtures
import Testing

/// One after the other: each has a whole line of its own, and the machine has two cores.
@Suite(.serialized) struct EndToEndTests {}

/// A stack of its own for one test, taken down at its end whatever happens.
func withStack(speed: Double = 60, _ body: (Stack) async throws -> Void) async throws {
  let stack = try Stack(program: TestFixtures.doorstep, speed: speed)
  do {
    try await stack.startParts()
    try await body(stack)
  } catch {
    await stack.stop()
    throw error
  }
  await stack.stop()
}

/// Runs `doorstep` to its end.
func doorstep(_ arguments: [String], within seconds: Double = 60) async throws -> (status: Int32?, output: String) {
  try await program(TestFixtures.doorstep, arguments, within: seconds)
}

/// Runs a program to its end; its output and errors as they came.
func program(
  _ program: String, _ arguments: [String], within seconds: Double = 60
) async throws -> (status: Int32?, output: String) {
  let folder = try TemporaryFolder()
  let child = try await ChildProcess.start(
    name: arguments.first ?? program, program: program, arguments: arguments, logPath: folder.path + "/log")
  let status = await child.exit(within: seconds)
  return (status, child.lastWords(lines: 1_000))
}

/// A port of loopback that somebody listens on.
final class Listener {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    port = try LoopbackPort.free()
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0 && listen(descriptor, 1) == 0)
  }

  deinit { close(descriptor) }
}
