import CNghttp2

/// Lays the fields of requests out for nghttp2, in one array that is used again.
struct RequestHeaders {
  private let authority: [UInt8]
  private var fields: [nghttp2_nv] = []
  /// Names of `firstOnConnection` fields that this connection's table has seen.
  private var seen: [StaticString] = []

  init(authority: String) {
    self.authority = Array(authority.utf8)
  }

  /// Calls `body` with the fields; they are valid inside it only.
  mutating func withFields(
    of request: HTTP2Request, _ body: (UnsafePointer<nghttp2_nv>, Int) -> Int32
  ) -> Int32 {
    fields.removeAll(keepingCapacity: true)
    return request.path.withUnsafeBufferPointer { path in
      authority.withUnsafeBufferPointer { authority in
        request.sharedFields.bytes.withUnsafeBufferPointer { shared in
          request.ownFields.bytes.withUnsafeBufferPointer { own in
            append(":method", request.method)
            append(":scheme", "https")
            append(":authority", authority, .allowed)
            append(":path", path, .never)
            append(request.sharedFields, shared)
            append(request.ownFields, own)
            return fields.withUnsafeBufferPointer { all in all.baseAddress.map { body($0, all.count) } ?? -1 }
          }
        }
      }
    }
  }

  private mutating func append(_ block: HeaderFields, _ bytes: UnsafeBufferPointer<UInt8>) {
    for entry in block.entries {
      let value = UnsafeBufferPointer(rebasing: bytes[entry.valueOffset..<(entry.valueOffset + entry.valueCount)])
      append(entry.name, value, entry.indexing)
    }
  }

  private mutating func append(_ name: StaticString, _ value: StaticString) {
    append(name, UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount), .allowed)
  }

  private mutating func append(
    _ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, _ indexing: HeaderFields.Indexing
  ) {
    var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue
    if !mayIndex(name, indexing) { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
    fields.append(
      nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.utf8Start), value: UnsafeMutablePointer(mutating: value.baseAddress),
        namelen: name.utf8CodeUnitCount, valuelen: value.count, flags: UInt8(truncatingIfNeeded: flags)))
  }

  private mutating func mayIndex(_ name: StaticString, _ indexing: HeaderFields.Indexing) -> Bool {
    switch indexing {
    case .allowed: return true
    case .never: return false
    case .firstOnConnection:
      if seen.contains(where: { $0.utf8Start == name.utf8Start }) { return false }
      seen.append(name)
      return true
    }
  }
}
