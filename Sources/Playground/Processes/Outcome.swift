extension Result where Failure == any Error {
  /// What `body` gave or threw, so that something can be closed before it is looked at.
  init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
