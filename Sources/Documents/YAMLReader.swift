import CYaml

/// YAML 1.2's core schema over libyaml. Anchors, aliases, tags, several documents and equal keys are refused: a
/// configuration must say what it means where it says it.
struct YAMLReader {
  private let file: String
  private var parser: UnsafeMutablePointer<yaml_parser_t>
  private var depth = 0

  static func document(_ bytes: [UInt8], file: String) throws(DocumentError) -> DocumentNode {
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else {
      throw DocumentError(file: file, position: nil, "cannot be read for lack of memory")
    }
    defer { yaml_parser_delete(parser) }
    let input = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    defer { input.deallocate() }
    _ = input.initialize(from: bytes)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, input.count)
    var reader = YAMLReader(file: file, parser: parser)
    return try reader.document()
  }

  /// What an event of libyaml says, copied out of it.
  private enum Event {
    case scalar(String, isPlain: Bool)
    case listStart, listEnd, objectStart, objectEnd, documentStart, end
  }

  private mutating func document() throws(DocumentError) -> DocumentNode {
    let first = try next()
    guard case .documentStart = first.event else {
      return DocumentNode(file: file, position: first.position, value: .null)
    }
    let node = try node(try next())
    let after = try next()
    guard case .end = after.event else { throw error(after.position, "expected one document, found a second one") }
    return node
  }

  private mutating func node(_ read: (event: Event, position: DocumentPosition)) throws(DocumentError) -> DocumentNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Document.depthMax else {
      throw error(read.position, "is nested over \(Document.depthMax) levels deep")
    }
    switch read.event {
    case .scalar(let text, let isPlain):
      let value = isPlain ? CoreSchema.value(of: text) : .text(text)
      return DocumentNode(file: file, position: read.position, value: value)
    case .listStart: return DocumentNode(file: file, position: read.position, value: .list(try list()))
    case .objectStart: return DocumentNode(file: file, position: read.position, value: .object(try object()))
    default: throw error(read.position, "expected a value")
    }
  }

  private mutating func list() throws(DocumentError) -> [DocumentNode] {
    var nodes: [DocumentNode] = []
    while true {
      let read = try next()
      if case .listEnd = read.event { return nodes }
      nodes.append(try node(read))
    }
  }

  private mutating func object() throws(DocumentError) -> [DocumentNode.Member] {
    var members: [DocumentNode.Member] = []
    var names: Set<String> = []
    while true {
      let read = try next()
      if case .objectEnd = read.event { return members }
      guard case .scalar(let name, _) = read.event else { throw error(read.position, "expected a name, then a colon") }
      guard names.insert(name).inserted else { throw error(read.position, "the name '\(name)' stands here twice") }
      members.append(DocumentNode.Member(name: name, namePosition: read.position, node: try node(try next())))
    }
  }

  private func next() throws(DocumentError) -> (event: Event, position: DocumentPosition) {
    while true {
      var raw = yaml_event_t()
      guard yaml_parser_parse(parser, &raw) == 1 else { throw syntaxError() }
      defer { yaml_event_delete(&raw) }
      let position = Self.position(raw.start_mark)
      switch raw.type {
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_END_EVENT: continue
      case YAML_DOCUMENT_START_EVENT: return (.documentStart, position)
      case YAML_STREAM_END_EVENT: return (.end, position)
      case YAML_ALIAS_EVENT: throw error(position, "aliases are not read; write the value out")
      case YAML_SCALAR_EVENT: return (try scalar(raw.data.scalar, position), position)
      case YAML_SEQUENCE_START_EVENT:
        try refuseDecoration(raw.data.sequence_start.anchor, raw.data.sequence_start.tag, position)
        return (.listStart, position)
      case YAML_MAPPING_START_EVENT:
        try refuseDecoration(raw.data.mapping_start.anchor, raw.data.mapping_start.tag, position)
        return (.objectStart, position)
      case YAML_SEQUENCE_END_EVENT: return (.listEnd, position)
      case YAML_MAPPING_END_EVENT: return (.objectEnd, position)
      default: throw error(position, "cannot be understood")
      }
    }
  }

  private func scalar(
    _ raw: yaml_event_s.__Unnamed_union_data.__Unnamed_struct_scalar, _ position: DocumentPosition
  ) throws(DocumentError) -> Event {
    try refuseDecoration(raw.anchor, raw.tag, position)
    let text = String(decoding: UnsafeBufferPointer(start: raw.value, count: raw.length), as: UTF8.self)
    return .scalar(text, isPlain: raw.style == YAML_PLAIN_SCALAR_STYLE)
  }

  private func refuseDecoration(
    _ anchor: UnsafeMutablePointer<yaml_char_t>?, _ tag: UnsafeMutablePointer<yaml_char_t>?,
    _ position: DocumentPosition
  ) throws(DocumentError) {
    if anchor != nil { throw error(position, "anchors are not read; write the value out where it is used") }
    if tag != nil { throw error(position, "tags are not read") }
  }

  private func syntaxError() -> DocumentError {
    let raw = parser.pointee
    let problem = raw.problem.map { String(cString: $0) } ?? "cannot be understood"
    return error(Self.position(raw.problem_mark), problem)
  }

  private func error(_ position: DocumentPosition, _ message: String) -> DocumentError {
    DocumentError(file: file, position: position, message)
  }

  private static func position(_ mark: yaml_mark_t) -> DocumentPosition {
    DocumentPosition(line: mark.line + 1, column: mark.column + 1)
  }
}
