import Playground

extension TestFixtures {
  /// The `doorstep` executable that was built together with the tests, beside them.
  public static let doorstep: String = {
    let tests = ChildProcess.thisProgram
    return String(tests[..<(tests.lastIndex(of: "/") ?? tests.startIndex)]) + "/doorstep"
  }()
}
