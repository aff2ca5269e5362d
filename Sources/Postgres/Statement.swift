/// A statement with a name, prepared once per session on its first use.
public struct Statement: Sendable {
  public let name: String
  public let text: String

  public init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}

/// A statement with its parameters.
public struct Call: Sendable {
  let statement: Statement
  let parameters: [Parameter]

  public init(_ statement: Statement, _ parameters: [Parameter] = []) {
    self.statement = statement
    self.parameters = parameters
  }
}
