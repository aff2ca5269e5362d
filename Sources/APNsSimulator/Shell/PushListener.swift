import HTTP2
import Runtime

/// One APNs host: takes requests off its connections and does what the world says. Lives on the event loop.
final class PushListener: HTTP2ServerDelegate {
  private let environment: APNsEnvironment
  private let limits: ProviderConnection.Limits
  private let isManagement: Bool
  private unowned let simulator: Simulator
  private var states: [UInt64: ProviderConnection] = [:]

  init(
    environment: APNsEnvironment, isManagement: Bool, limits: ProviderConnection.Limits, simulator: Simulator
  ) {
    self.environment = environment
    self.isManagement = isManagement
    self.limits = limits
    self.simulator = simulator
  }

  func connectionOpened(_ connection: HTTP2ServerConnection) {
    states[connection.id] = ProviderConnection(environment: environment, limits: limits)
    for effect in simulator.connectionFaults(environment) {
      switch effect {
      case .windowBytes(let bytes): connection.update(initialWindowBytes: UInt32(clamping: bytes))
      case .slowReader(let milliseconds): pause(connection, seconds: Double(milliseconds) / 1000)
      default: break
      }
    }
  }

  private func pause(_ connection: HTTP2ServerConnection, seconds: Double) {
    guard states[connection.id] != nil else { return }
    connection.setReading(false)
    _ = simulator.loop.schedule(afterSeconds: seconds) { [self] in
      guard states[connection.id] != nil else { return }
      connection.setReading(true)
      _ = simulator.loop.schedule(afterSeconds: 0.001) { [self] in pause(connection, seconds: seconds) }
    }
  }

  func connection(_ connection: HTTP2ServerConnection, received request: HTTP2ServerRequest) {
    var state = states[connection.id] ?? ProviderConnection(environment: environment, limits: limits)
    let handling = simulator.receive(Self.plain(request), isManagement: isManagement, on: &state)
    states[connection.id] = state
    carryOut(handling, request.streamID, connection)
  }

  func connectionClosed(_ connection: HTTP2ServerConnection, _ failure: HTTP2Failure) {
    states[connection.id] = nil
  }

  private static func plain(_ request: HTTP2ServerRequest) -> APNsRequest {
    var plain = APNsRequest(method: "", path: "", headers: [], body: request.body)
    // What was over the transport's limit still counts as size.
    if request.bodyBytes > request.body.count { plain.body.append(0) }
    for field in request.fields {
      switch field.name {
      case ":method": plain.method = field.value
      case ":path": plain.path = field.value
      case let name where name.hasPrefix(":"): break
      default: plain.headers.append((field.name, field.value))
      }
    }
    return plain
  }

  private func carryOut(_ handling: Handling, _ stream: Int32, _ connection: HTTP2ServerConnection) {
    if handling.cuts { return connection.cut() }
    if handling.resets { connection.reset(stream, code: 2) }
    if let answer = handling.answer {
      if handling.delayMilliseconds > 0 {
        _ = simulator.loop.schedule(afterSeconds: Double(handling.delayMilliseconds) / 1000) {
          Self.respond(answer, stream, connection)
        }
      } else {
        Self.respond(answer, stream, connection)
      }
    }
    for effect in handling.effects {
      switch effect {
      case .streamLimit(let streams): connection.update(maxConcurrentStreams: UInt32(clamping: streams))
      case .goAway(let data): connection.goAway(debugData: data)
      }
    }
  }

  private static func respond(_ answer: APNsAnswer, _ stream: Int32, _ connection: HTTP2ServerConnection) {
    connection.respond(
      stream, status: answer.status, fields: answer.headers.map { HeaderField($0.name, $0.value) }, body: answer.body)
  }
}
