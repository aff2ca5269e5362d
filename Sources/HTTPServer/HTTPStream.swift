import Runtime

/// A body without a known end. Writers never wait: a client that reads too slowly is dropped.
public final class HTTPStream: Sendable {
  /// Bytes waiting for one client.
  public static let bufferBytesMax = 256 * 1024

  struct State {
    var bytes: [UInt8] = []
    var isFinished = false
    /// Wakes the connection that sleeps because there was nothing to send.
    var wake: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let onClose: @Sendable () -> Void

  /// - Parameter onClose: called once, when the client is gone or the stream has ended.
  public init(onClose: @escaping @Sendable () -> Void = {}) { self.onClose = onClose }

  /// Appends bytes. False when the stream is over, or now is because the client does not keep up.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    let (isTaken, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      guard !state.isFinished else { return (false, nil) }
      defer { state.wake = nil }
      guard state.bytes.count + bytes.count <= Self.bufferBytesMax else {
        state.isFinished = true
        return (false, state.wake)
      }
      state.bytes += bytes
      return (true, state.wake)
    }
    wake?()
    return isTaken
  }

  /// Ends the body after what was sent.
  public func finish() {
    let wake = state.withLock { state in
      state.isFinished = true
      defer { state.wake = nil }
      return state.wake
    }
    wake?()
  }

  enum Next {
    case bytes(Int)
    case nothingYet
    case end
  }

  /// Moves waiting bytes into `buffer`. With nothing there, keeps `wake`, which `suspend` must have made ready before.
  func take(into buffer: UnsafeMutableRawBufferPointer, suspend: () -> @Sendable () -> Void) -> Next {
    state.withLock { state in
      let count = min(buffer.count, state.bytes.count)
      guard count > 0 else {
        if state.isFinished { return .end }
        state.wake = suspend()
        return .nothingYet
      }
      state.bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      state.bytes.removeFirst(count)
      return .bytes(count)
    }
  }

  func closed() {
    state.withLock { state in
      state.isFinished = true
      state.wake = nil
    }
    onClose()
  }
}
