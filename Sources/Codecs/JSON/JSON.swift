import CSimdjson

/// Reads JSON documents of any origin: every byte sequence gives a document or a `JSONError`, never a trap.
///
/// A document is validated as a whole before anything of it is seen: UTF-8 without byte order mark, no unpaired
/// surrogates, no key twice in one object, numbers that 64 bits can hold, bounded depth (docs/events.md).
public enum JSON {
  /// Levels of nesting that are read when the caller says nothing else.
  public static let depthMax = 512

  /// Parses `bytes` and hands the root to `body`. The root and all nodes below it are valid only inside `body`.
  ///
  /// The parser is the calling thread's own; a parse inside `body` gets another one.
  /// - Throws: `JSONError`, or what `body` throws.
  public static func parse<Result>(
    _ bytes: [UInt8], depthMax: Int = depthMax, _ body: (JSONNode) throws -> Result
  ) throws -> Result {
    guard let parser = csimdjson_acquire() else { throw JSONError.noMemory }
    defer { csimdjson_release(parser) }
    let code = bytes.withUnsafeBufferPointer {
      csimdjson_parse(parser, $0.baseAddress, $0.count, max(1, depthMax))
    }
    if let error = JSONError(code) { throw error }
    guard let tape = csimdjson_tape(parser), let strings = csimdjson_strings(parser) else { throw JSONError.noMemory }
    return try body(JSONNode(tape: tape, strings: strings, at: 1))
  }

  /// The instruction set that the parser chose on this machine, such as `icelake`.
  public static var implementation: String { String(cString: csimdjson_implementation()) }
}

/// Why bytes are not a JSON document that this service reads. A closed list; the raw value is the word for labels.
public enum JSONError: String, Error, CaseIterable, Sendable {
  case empty, byteOrderMark, notUTF8, syntax, badString, badNumber, tooDeep, tooLarge, duplicateKey, loneSurrogate
  case noMemory

  init?(_ code: csimdjson_error) {
    switch code {
    case CSIMDJSON_OK: return nil
    case CSIMDJSON_EMPTY: self = .empty
    case CSIMDJSON_BYTE_ORDER_MARK: self = .byteOrderMark
    case CSIMDJSON_NOT_UTF8: self = .notUTF8
    case CSIMDJSON_BAD_STRING: self = .badString
    case CSIMDJSON_BAD_NUMBER: self = .badNumber
    case CSIMDJSON_TOO_DEEP: self = .tooDeep
    case CSIMDJSON_TOO_LARGE: self = .tooLarge
    case CSIMDJSON_DUPLICATE_KEY: self = .duplicateKey
    case CSIMDJSON_LONE_SURROGATE: self = .loneSurrogate
    case CSIMDJSON_NO_MEMORY: self = .noMemory
    default: self = .syntax
    }
  }

  /// A sentence fragment that completes "the document ...".
  public var explanation: String {
    switch self {
    case .empty: "is empty; a JSON value was expected"
    case .byteOrderMark: "begins with a byte order mark; plain UTF-8 was expected"
    case .notUTF8: "is not valid UTF-8"
    case .syntax: "is not well-formed JSON"
    case .badString: "has a string with a bad escape, a raw control character or no closing quote"
    case .badNumber: "has a number that is not JSON or does not fit into 64 bits"
    case .tooDeep: "is nested too deeply"
    case .tooLarge: "is too large"
    case .duplicateKey: "names one key twice in the same object"
    case .loneSurrogate: "has a \\u escape for half of a surrogate pair"
    case .noMemory: "could not be read for lack of memory"
    }
  }
}
