import Codecs
import Crypto
import Domain
import HTTPClient
import HTTPServer
import Observability
import Runtime
import Service
import Simulation
import Testing

@testable import API

/// Collects what the dispatcher is woken for.
final class RecordingWaker: Waker {
  private let held = Lock(Wakes())

  func wake(_ wakes: Wakes) { held.withLock { $0.merge(wakes) } }
  var all: Wakes { held.withLock { $0 } }
}

/// The API over the in-memory store, on a real socket.
final class TestAPI: Sendable {
  static let appSecret = "app-secret-0123456789-0123456789-0123456789"
  static let operatorSecret = "operator-secret-0123456789-0123456789-012345"
  static let jwtSecret = [UInt8](repeating: 7, count: 32)

  let clock = ManualClock()
  let store: MemoryStore
  let waker = RecordingWaker()
  let metrics = Metrics(version: "test")
  let lines = Lock<[String]>([])
  let services: APIServices
  let server: APIServer
  private let client = HTTPClient()

  init() throws {
    store = MemoryStore(clock: clock)
    let registry = Registry(store: store, waker: waker, clock: clock)
    let administration = Administration(store: store, deliveries: store, waker: waker, clock: clock)
    services = APIServices(
      registry: registry,
      reconciliation: Reconciliation(
        registry: store, dispatch: store, administration: store, waker: waker, clock: clock),
      administration: administration, explainer: Explainer(deliveries: store, dispatch: store, clock: clock),
      rollout: RolloutBoard(), snapshots: SnapshotFeed(registry: registry), clock: clock)
    server = APIServer(
      options: HTTPServerOptions(host: "127.0.0.1", port: 0), services: services, keys: try Self.keys(),
      logger: Logger(
        level: .debug, write: { [lines] line in lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }),
      metrics: metrics)
  }

  static func keys() throws -> AuthenticationKeys {
    let text = """
      # test keys
      backend app \(hex(sha256(Array(appSecret.utf8))))
      console operator \(hex(sha256(Array(operatorSecret.utf8))))
      """
    let set = #"{"keys":[{"kty":"oct","kid":"1","alg":"HS256","k":"\#(Base64URL.encode(jwtSecret))"}]}"#
    return AuthenticationKeys(
      serviceKeys: try ServiceKeys(text: text, source: "test"),
      userTokens: JWTVerifier(try JSONWebKeySet(Array(set.utf8), source: "test")))
  }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A signed token for a user.
  func userToken(_ user: String, expiresIn seconds: Double = 3600, header: String = #"{"alg":"HS256","kid":"1"}"#)
    -> String
  {
    let expiry = Int(clock.wall().seconds) + Int(seconds)
    let claims = #"{"sub":"\#(user)","exp":\#(expiry)}"#
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    return signed + "." + Base64URL.encode(hmacSHA256(Array(signed.utf8), key: Self.jwtSecret))
  }

  func send(
    _ method: String, _ path: String, _ body: String = "", as token: String? = TestAPI.appSecret,
    headers: [(name: String, value: String)] = []
  ) async throws -> Answer {
    var headers = headers
    if let token { headers.append((name: "Authorization", value: "Bearer \(token)")) }
    let response = try await client.send(
      HTTPClientRequest(
        method, "http://127.0.0.1:\(server.port ?? 0)\(path)", headers: headers, body: Array(body.utf8)))
    return Answer(response: response)
  }

  /// A first registration, and the credential that it gave.
  func register(_ id: String, user: String? = "u-1") async throws -> String {
    let answer = try await send("PUT", "/v1/installations/\(id)", Self.registration(user: user))
    #expect(answer.status == 200)
    return try #require(answer.text("installationCredential"))
  }

  static func registration(revision: Int = 1, user: String? = "u-1") -> String {
    let user = user.map { #""userId":"\#($0)","# } ?? ""
    return #"{"revision":\#(revision),\#(user)"bundleId":"app.example","environment":"sandbox","locale":"de"}"#
  }

  static func activity(_ installation: String, revision: Int = 1, token: String = "00ff") -> String {
    #"{"revision":\#(revision),"installationId":"\#(installation)","attributesType":"DeliveryAttributes","#
      + #""updateToken":"\#(token)","startedBy":"app","startedAt":"2027-01-15T08:00:00Z","state":"active"}"#
  }

  /// An order of that user, as ingest would have stored it.
  func place(_ id: String, user: String) async throws {
    var delivery = Delivery(id: OrderID(id))
    var changes = OrderChanges()
    changes.user = UserID(user)
    let stamp = Stamp(space: SequenceSpace(name: "orders", rank: 0), sequence: 1, time: clock.now())
    let event = OrderEvent(
      order: OrderID(id), what: .stage(.placed), stamp: stamp, eventID: "e", changes: changes)
    _ = Tracker.apply(event, to: &delivery, now: clock.now())
    delivery.snapshot = Snapshot(
      sequence: 42, life: 0, stage: .placed, stageStarted: clock.now(), computed: clock.now(), riderPhase: .none,
      progress: 0, storeName: "Noodles", placed: clock.now())
    var commit = IngestCommit(now: clock.now())
    commit.orders = [Versioned(OrderRow(delivery: delivery), version: 0)]
    #expect(try await store.commit(commit) == .committed)
  }
}

extension TestAPI {
  /// A visible change of a placed order, as ingest would have stored it.
  func change(_ order: OrderID, sequence: Int64) async throws {
    guard var row = try await store.load(orders: [order], riders: []).orders[order] else { return }
    row.value.delivery.snapshot?.sequence = sequence
    var commit = IngestCommit(now: clock.now())
    commit.orders = [row]
    #expect(try await store.commit(commit) == .committed)
  }
}

/// An answer, read.
struct Answer {
  let response: HTTPClientResponse
  var status: Int { response.status }
  var body: String { String(decoding: response.body, as: UTF8.self) }

  func text(_ key: String) -> String? {
    (try? JSON.parse(response.body) { $0.member(named: key)?.string }) ?? nil
  }
}

/// Runs the API for one test.
func withAPI(_ body: (TestAPI) async throws -> Void) async throws {
  let api = try TestAPI()
  try await api.server.start()
  do {
    try await body(api)
  } catch {
    await api.server.drain()
    throw error
  }
  await api.server.drain()
}
