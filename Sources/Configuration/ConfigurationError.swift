/// A configuration that cannot be used: every problem found, not only the first. Commands exit with status 78 on it.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  public struct Problem: Equatable, Sendable {
    /// The setting's name, such as `DOORSTEP_API_ADDRESS`, or the file that is at fault.
    public var setting: String
    /// What is wrong, without the value when that is a secret.
    public var problem: String
    /// What was expected, or what to do.
    public var expected: String

    public init(setting: String, problem: String, expected: String) {
      self.setting = setting
      self.problem = problem
      self.expected = expected
    }
  }

  public let problems: [Problem]

  public init(_ problems: [Problem]) { self.problems = problems }

  public init(setting: String, problem: String, expected: String) {
    self.init([Problem(setting: setting, problem: problem, expected: expected)])
  }

  /// One line a problem.
  public var description: String {
    problems.map { "\($0.setting) \($0.problem); expected \($0.expected)" }.joined(separator: "\n")
  }
}
