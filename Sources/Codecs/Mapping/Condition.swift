extension Condition {
  func holds(in record: RecordView, element: JSONNode?) -> Bool {
    let found = word(in: record, element)
    return switch test {
    case .present: found != nil
    case .absent: found == nil
    case .equals(let words): found.map(words.contains) ?? false
    }
  }

  /// What the source says as a word: texts as they are, numbers in decimal, true and false; "" for a container.
  private func word(in record: RecordView, _ element: JSONNode?) -> String? {
    switch source {
    case .value(let pointer): record.value?.node(at: pointer).map(\.word)
    case .header(let name):
      record.headers.last { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    case .key: record.key.map { String(decoding: $0, as: UTF8.self) }
    case .constant(let text): text
    case .element(let pointer): element?.node(at: pointer).map(\.word)
    case .keyDocument(let pointer): record.keyDocument?.node(at: pointer).map(\.word)
    }
  }
}

extension JSONNode {
  /// The node at the pointer, or nil when there is none or it is null.
  func node(at pointer: Pointer) -> JSONNode? {
    descend(pointer.tokens[...]).flatMap { $0.isNull ? nil : $0 }
  }

  func hasNull(at tokens: ArraySlice<Pointer.Token>) -> Bool { descend(tokens)?.isNull ?? false }

  private func descend(_ tokens: ArraySlice<Pointer.Token>) -> JSONNode? {
    var node = self
    for token in tokens {
      let next = node.kind == .array ? token.index.flatMap { node.element(at: $0) } : node.member(token.key)
      guard let next else { return nil }
      node = next
    }
    return node
  }

  fileprivate var word: String {
    if let string { return string }
    if let int64 { return String(int64) }
    return bool.map { $0 ? "true" : "false" } ?? ""
  }
}
