import Certificates
import HTTP2
import HTTPServer
import Runtime

/// The world with sockets and a clock around it. Everything but `init` and `stop` happens on the event loop.
final class Simulator: @unchecked Sendable {
  let loop: EventLoop
  private let options: SimulatorOptions
  private let world: World
  private let registry: RegistryClient
  private let control: Control
  private var link: Link?
  private var listeners: [(server: HTTP2Server, delegate: PushListener)] = []
  private var controlServer: HTTPServer?
  private var timer: (id: TimerID, due: Moment)?
  private var logs: [TruthLog.Stream: LineFile] = [:]
  private(set) var place = SimulatorPlace()

  init(options: SimulatorOptions, serviceKey: String?, logs: [TruthLog.Stream: LineFile]) throws {
    self.options = options
    self.logs = logs
    loop = try EventLoop(name: "apns-simulator")
    let clock = options.clock
    var settings = World.Settings()
    settings.seed = options.seed
    settings.bundles = Set(options.bundles)
    settings.isStrict = !options.isLenient
    settings.documentsEnvironmentReason = !options.answersWireReason
    // 1 s of card time at 1x, else 250 ms of real time (docs/delivery-semantics.md 7).
    settings.grace = clock.factor == 1 ? .seconds(1) : .seconds(0.25 * clock.factor)
    let real = ScaledClock.real
    let log = TruthLog(sink: logs.isEmpty ? nil : { stream, line in logs[stream]?.append(line) })
    world = World(settings: settings, log: log, now: clock.card(real), real: real)
    registry = RegistryClient(loop: loop, base: options.api, serviceKey: serviceKey)
    control = Control(toCardTime: clock.card)
    registry.onAnswer = { [unowned self] phone, status, body in
      advance()
      world.answered(phone: phone, status: status, body: body)
      turn()
    }
    try listen(settings)
  }

  private func listen(_ settings: World.Settings) throws {
    let authority = try CertificateAuthority(name: "APNs simulator CA")
    let identity = try identity(from: authority)
    let tls = try TLSContext.server(
      certificates: Array(identity.certificatePEM.utf8), key: Array(identity.privateKeyPEM.utf8))
    var transport = HTTP2ServerSettings(tls: tls)
    // Room for many pushes a round trip: a long way shall not throttle a sender.
    transport.connectionWindowBytes = 16 << 20
    transport.maxConcurrentStreams = UInt32(clamping: settings.limits.streamsBeforeFirstToken)
    for (environment, port, isManagement) in [
      (APNsEnvironment.production, options.port, false), (.sandbox, options.sandboxPort, false),
      (.production, options.managementPort, true), (.sandbox, options.sandboxManagementPort, true),
    ] {
      guard let address = SocketAddress("127.0.0.1", port: port) else { continue }
      let server = try HTTP2Server(loop: loop, address: address, settings: transport)
      let delegate = PushListener(
        environment: environment, isManagement: isManagement, limits: settings.limits, simulator: self)
      server.delegate = delegate
      listeners.append((server, delegate))
    }
    if options.hasLink { link = try Link(loop: loop, to: listeners.map(\.server.address.port)) }
    guard let pair = ProviderKeyPair.make() else { throw SystemError(call: "make a P-256 key", code: 0) }
    world.accept(
      ProviderKey(id: place.keyID, teamID: settings.teamID, scope: .legacy, publicKey: pair.publicKey))
    place.teamID = settings.teamID
    place.authorityPEM = Array(try authority.pem().utf8)
    place.keyPEM = pair.privateKeyPEM
    place.bundles = options.bundles
    place.ports = link?.ports ?? listeners.map(\.server.address.port)
  }

  private func identity(from authority: CertificateAuthority) throws -> ServerIdentity {
    switch options.certificate {
    case .good: try authority.issueServerCertificate(dnsNames: ["localhost"], addresses: ["127.0.0.1"])
    case .otherName: try authority.issueServerCertificate(dnsNames: ["elsewhere.example"], addresses: ["192.0.2.1"])
    case .otherAuthority: try CertificateAuthority(name: "Somebody else's CA").issueServerCertificate()
    }
  }

  func start() throws {
    var server = HTTPServerOptions(host: "127.0.0.1", port: options.controlPort)
    server.threads = 1
    server.bodyBytesMax = 64 * 1024 * 1024
    let made = try HTTPServer(
      options: server,
      handler: .suspending { [self] request in
        await withCheckedContinuation { continuation in
          loop.execute { [self] in continuation.resume(returning: command(request)) }
        }
      })
    controlServer = made
    place.controlPort = made.port
    loop.execute { [self] in
      for (server, _) in listeners { try? server.start() }
      link?.start()
      turn()
    }
  }

  /// The last figures; the logs are complete after it.
  func stop() async -> Figures {
    await controlServer?.stop(timeoutSeconds: 2)
    let figures = await withCheckedContinuation { continuation in
      loop.execute { [self] in
        advance()
        let figures = world.finish()
        link?.stop()
        for (server, _) in listeners { server.stop() }
        for file in logs.values { file.flush() }
        continuation.resume(returning: figures)
      }
    }
    registry.close()
    loop.shutdown()
    return figures
  }

  func connectionFaults(_ environment: APNsEnvironment) -> [Fault.Effect] {
    advance()
    return world.connectionFaults(environment)
  }

  func receive(
    _ request: APNsRequest, isManagement: Bool, on connection: inout ProviderConnection
  ) -> Handling {
    advance()
    let handling =
      isManagement ? world.manage(request, on: &connection) : world.receive(request, on: &connection)
    turn()
    return handling
  }

  private func command(_ request: HTTPRequest) -> HTTPResponse {
    if let link, request.method == "POST", request.path == "/link" {
      return HTTPResponse(status: link.apply(request.body) ? 200 : 400, body: Array("{}".utf8))
    }
    advance()
    let reply = control.handle(request.method, request.path, request.body, in: world)
    if request.path == "/finish" { for file in logs.values { file.flush() } }
    turn()
    return HTTPResponse(
      status: reply.status, headers: [(name: "content-type", value: "application/json")], body: reply.body)
  }

  private func advance() {
    let real = ScaledClock.real
    world.advance(to: options.clock.card(real), real: real)
  }

  /// Carries out what the world wants, and comes back when its next timer is due.
  private func turn() {
    registry.send(world.takeCalls())
    guard let due = world.nextTimer, due != timer?.due else { return }
    if let timer { loop.cancel(timer.id) }
    let seconds = options.clock.secondsUntil(due, from: ScaledClock.real)
    let id = loop.schedule(afterSeconds: seconds) { [self] in
      timer = nil
      advance()
      turn()
    }
    timer = (id, due)
  }

  func switchOn(_ specs: [PhoneSpec]) {
    loop.execute { [self] in
      advance()
      try? world.switchOn(specs)
      turn()
    }
  }
}
