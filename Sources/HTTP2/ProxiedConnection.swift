import Glibc
import Runtime

/// One relayed connection: two sockets and a delayed queue of bytes in each direction.
final class ProxiedConnection {
  unowned let proxy: TCPProxy
  var isSwallowing = false
  private var client: ProxySide?
  private var server: ProxySide?

  /// Connects to the proxy's target; nil when that is not possible. Takes over `client` only if it succeeds.
  init?(proxy: TCPProxy, client: Int32) {
    self.proxy = proxy
    let descriptor = SocketAddress.openSocket(proxy.target.family)
    guard descriptor >= 0 else { return nil }
    SocketAddress.sendAtOnce(descriptor)
    let code = proxy.target.withSocketAddress { connect(descriptor, $0, $1) }
    guard code == 0 || errno == EINPROGRESS else {
      close(descriptor)
      return nil
    }
    let server = ProxySide(connection: self, descriptor: descriptor)
    let client = ProxySide(connection: self, descriptor: client)
    (client.peer, server.peer) = (server, client)
    (self.client, self.server) = (client, server)
    client.start()
    server.start()
  }

  /// Closes the side that has ended, and says nothing to the other.
  func endSilently(_ side: ProxySide) {
    side.close(reset: false)
    if client?.isOpen != true, server?.isOpen != true { proxy.forget(self) }
  }

  /// Closes both sides; with `reset`, by a TCP reset.
  func end(reset: Bool) {
    client?.close(reset: reset)
    server?.close(reset: reset)
    (client, server) = (nil, nil)
    proxy.forget(self)
  }
}

/// One socket of a relayed connection, with the bytes that wait to be written to it.
final class ProxySide: EventLoopHandler {
  private struct Chunk {
    var due: Double
    var bytes: [UInt8]
  }

  private static let readBytes = 64 * 1024
  /// Reading from the other side pauses over so many waiting bytes.
  private static let queuedBytesMax = 8 << 20

  unowned let connection: ProxiedConnection
  weak var peer: ProxySide?
  private let descriptor: Int32
  private var loop: EventLoop { connection.proxy.loop }
  private var queue: [Chunk] = []
  private var queuedBytes = 0
  private var lastDue = 0.0
  private var timer: TimerID?
  private var waitsForWrite = true
  private var isReading = true
  private var isClosed = false
  /// The other side has ended: end this one once the queue is empty.
  private var endsWhenEmpty = false

  init(connection: ProxiedConnection, descriptor: Int32) {
    self.connection = connection
    self.descriptor = descriptor
  }

  func start() {
    try? loop.add(descriptor, for: [.read, .write], handler: self)
  }

  func close(reset: Bool) {
    guard !isClosed else { return }
    isClosed = true
    if let timer { loop.cancel(timer) }
    loop.remove(descriptor)
    if reset {
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }
    Glibc.close(descriptor)
  }

  func ready(_ events: EventLoop.Events) {
    if events.contains(.write) {
      waitsForWrite = false
      writeDue()
    }
    if events.contains(.read), !isClosed { readChunk() }
  }

  private func readChunk() {
    guard let peer else { return }
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.readBytes) { buffer, count in
      result = read(descriptor, buffer.baseAddress, buffer.count)
      count = max(0, result)
    }
    if result < 0, errno == EAGAIN || errno == EINTR { return }
    if bytes.isEmpty {
      if connection.isSwallowing { return connection.endSilently(self) }
      isReading = false
      updateInterest()
      peer.endWhenEmpty()
    } else if !connection.isSwallowing {
      peer.take(bytes)
      isReading = peer.queuedBytes < Self.queuedBytesMax
      updateInterest()
    }
  }

  var isOpen: Bool { !isClosed }

  private func take(_ bytes: [UInt8]) {
    let harm = connection.proxy.harm
    let start = max(MonotonicClock.now + harm.delaySeconds, lastDue)
    lastDue = start + (harm.bytesPerSecond.map { Double(bytes.count) / $0 } ?? 0)
    queue.append(Chunk(due: lastDue, bytes: bytes))
    queuedBytes += bytes.count
    writeDue()
  }

  private func endWhenEmpty() {
    endsWhenEmpty = true
    writeDue()
  }

  /// Writes what is due, and comes back for the rest.
  private func writeDue() {
    guard !isClosed, !waitsForWrite, !connection.isSwallowing else { return updateInterest() }
    let now = MonotonicClock.now
    var written = 0
    while written < queue.count, queue[written].due <= now {
      let count = write(descriptor, queue[written].bytes, queue[written].bytes.count)
      if count < 0, errno != EAGAIN { return connection.end(reset: true) }
      queuedBytes -= max(0, count)
      guard count == queue[written].bytes.count else {
        queue[written].bytes.removeFirst(max(0, count))
        waitsForWrite = true
        break
      }
      written += 1
    }
    queue.removeFirst(written)
    if queue.isEmpty, endsWhenEmpty { return connection.end(reset: false) }
    updateInterest()
    peer?.resume()
    if let next = queue.first, !waitsForWrite, timer == nil {
      timer = loop.schedule(afterSeconds: next.due - now) { [weak self] in
        self?.timer = nil
        self?.writeDue()
      }
    }
  }

  private func resume() {
    guard !isReading, !endsOther, let peer, peer.queuedBytes < Self.queuedBytesMax else { return }
    isReading = true
    updateInterest()
  }

  /// This side's end was passed on: there is nothing more to read.
  private var endsOther: Bool { peer?.endsWhenEmpty ?? true }

  private func updateInterest() {
    guard !isClosed else { return }
    var events: EventLoop.Events = []
    if isReading { events.insert(.read) }
    if waitsForWrite { events.insert(.write) }
    loop.modify(descriptor, for: events)
  }
}
