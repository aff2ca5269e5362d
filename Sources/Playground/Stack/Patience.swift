import Glibc
import Runtime

/// Waiting for another process: asks again and again until it is so, or until the time is over.
public enum Patience {
  /// Seconds between two questions.
  private static let stepSeconds = 0.05

  /// True once `condition` holds; false when it does not within `seconds`, or when the task is cancelled.
  public static func until(within seconds: Double, _ condition: () async throws -> Bool) async rethrows -> Bool {
    let deadline = MonotonicClock.now + seconds
    let step = TimedSignal()
    while !Task.isCancelled {
      if try await condition() { return true }
      guard MonotonicClock.now < deadline else { return false }
      await step.wait(seconds: stepSeconds)
    }
    return false
  }
}

/// Ports on loopback that nobody listens on.
public enum LoopbackPort {
  /// A free port, chosen by the kernel.
  public static func free() throws(PlaygroundError) -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("socket") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        bind(descriptor, general, length) == 0 ? getsockname(descriptor, general, &length) : -1
      }
    }
    guard code == 0 else { throw failure("bind") }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func failure(_ call: String) -> PlaygroundError {
    PlaygroundError("no free port on 127.0.0.1: \(SystemError.last(call))")
  }
}
