extension JSONWriter {
  /// Writes a value as it was read: the same numbers and texts, without white space.
  public mutating func copy(_ node: JSONNode) {
    switch node.kind {
    case .object:
      beginObject()
      for (name, value) in node.members {
        key(escaping: name.string ?? "")
        copy(value)
      }
      endObject()
    case .array:
      beginArray()
      for element in node.elements { copy(element) }
      endArray()
    case .string: string(node.string ?? "")
    case .number: copyNumber(node)
    case .bool: bool(node.bool ?? false)
    case .null: null()
    }
  }

  private mutating func copyNumber(_ node: JSONNode) {
    if let whole = node.int64 {
      int(whole)
    } else if let whole = node.uint64 {
      int(whole)
    } else {
      fraction(node.double ?? 0)
    }
  }
}
