import Glibc

/// A system call that failed: which one, on what, and the system's own words.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The call and its object, e.g. `connect 127.0.0.1:443`.
  public var call: String
  /// `errno` as it stood after the call.
  public var code: Int32

  public init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  /// The error of the call that failed just now on this thread.
  public static func last(_ call: String) -> SystemError { SystemError(call: call, code: errno) }

  public var description: String { "\(call): \(SystemError.text(code))" }

  /// The system's text for an `errno` value.
  public static func text(_ code: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else { return "errno \(code)" }
      return String(cString: base)
    }
  }
}
