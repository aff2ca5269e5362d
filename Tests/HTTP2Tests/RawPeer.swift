import Glibc
import Runtime

@testable import HTTP2

/// A peer that writes frames byte by byte: what no decent HTTP/2 library lets one send.
///
/// It serves one connection on a thread of its own, with blocking reads and writes.
final class RawPeer: @unchecked Sendable {
  struct Frame {
    var type: UInt8
    var flags: UInt8
    var streamID: Int32
    var payload: [UInt8]
  }

  static let settings = frame(type: 4, flags: 0, streamID: 0)
  /// `:status 200` and `:status 400` of HPACK's static table.
  static let status200: [UInt8] = [0x88]
  static let status400: [UInt8] = [0x8c]

  let port: UInt16
  private let descriptor: Int32
  private let thread: SystemThread
  private let stream = Lock<TLSStream?>(nil)

  /// - Parameter body: runs once the client's TLS handshake is done; the connection closes when it returns.
  init(_ body: @escaping @Sendable (RawPeer.Connection) -> Void) throws {
    guard let wanted = SocketAddress("127.0.0.1", port: 0) else { throw SystemError(call: "address", code: EINVAL) }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    _ = wanted.withSocketAddress { bind(descriptor, $0, $1) }
    guard listen(descriptor, 1) == 0 else { throw SystemError.last("listen") }
    self.descriptor = descriptor
    port = SocketAddress.ofSocket(descriptor)?.port ?? 0
    let tls = try TestIdentity.serverTLS()
    thread = SystemThread(name: "raw-peer") {
      let taken = accept(descriptor, nil, nil)
      guard taken >= 0, let stream = try? TLSStream(context: tls, descriptor: taken), case .done = stream.handshake()
      else { return }
      body(Connection(stream: stream))
    }
  }

  func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    thread.join()
    close(descriptor)
  }

  static func frame(type: UInt8, flags: UInt8, streamID: Int32, _ payload: [UInt8] = []) -> [UInt8] {
    let length = payload.count
    let id = UInt32(bitPattern: streamID)
    return [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), type, flags]
      + (0..<4).map { UInt8(id >> (24 - 8 * UInt32($0)) & 255) } + payload
  }

  final class Connection {
    private let stream: TLSStream
    private var buffer: [UInt8] = []
    private var isPrefaceRead = false

    init(stream: TLSStream) { self.stream = stream }

    func write(_ bytes: [UInt8]) {
      _ = bytes.withUnsafeBytes { stream.write($0) }
    }

    /// The next frame; nil when the client has closed.
    func read() -> Frame? {
      if !isPrefaceRead {
        guard take(24) != nil else { return nil }
        isPrefaceRead = true
      }
      guard let head = take(9) else { return nil }
      let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      let id = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard let payload = take(length) else { return nil }
      return Frame(type: head[3], flags: head[4], streamID: Int32(bitPattern: id), payload: payload)
    }

    /// Reads on until the whole request of a stream came; its stream.
    func readRequest() -> Int32? {
      while let frame = read() {
        if frame.type <= 1, frame.flags & 1 != 0 { return frame.streamID }
      }
      return nil
    }

    /// Reads until the client closes.
    func readToTheEnd() {
      while read() != nil {}
    }

    private func take(_ count: Int) -> [UInt8]? {
      while buffer.count < count {
        var room = [UInt8](repeating: 0, count: 16_384)
        guard case .done(let read) = room.withUnsafeMutableBytes({ stream.read(into: $0) }) else { return nil }
        buffer += room[..<read]
      }
      defer { buffer.removeFirst(count) }
      return Array(buffer[..<count])
    }
  }
}
