import CMicrohttpd

/// Reads the library's view of a request into ours.
enum RequestReader {
  static func request(
    _ connection: OpaquePointer, method: UnsafePointer<CChar>, path: UnsafePointer<CChar>
  ) -> HTTPRequest {
    HTTPRequest(
      method: String(cString: method), path: String(cString: path),
      query: values(connection, MHD_ValueKind.GET_ARGUMENT_KIND),
      headers: values(connection, MHD_ValueKind.HEADER_KIND))
  }

  private final class Values {
    var pairs: [(name: String, value: String)] = []
  }

  private static func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [(name: String, value: String)] {
    let values = Values()
    MHD_get_connection_values(
      connection, kind,
      { context, _, name, value in
        guard let context, let name else { return .YES }
        let values = Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
        values.pairs.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
        return .YES
      }, Unmanaged.passUnretained(values).toOpaque())
    return values.pairs
  }

  /// The `Content-Length` that the client announced; nil when it announced none.
  static func announcedBytes(_ request: HTTPRequest) -> UInt64? {
    request.header("content-length").flatMap { UInt64($0) }
  }
}
