import Codecs
import Domain
import Service

/// The body of `/v1/mode`.
enum RolloutDocument {
  static let usersMax = 1_000
  static let appsMax = 100

  static func write(_ rollout: Rollout, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("mode", rollout.mode.description)
    writer.member("startsPaused", rollout.startsPaused)
    list("pausedApps", rollout.pausedApps.sorted(), to: &writer)
    list("allowList", rollout.allowList.map(\.text).sorted(), to: &writer)
    writer.endObject()
  }

  private static func list(_ name: StaticString, _ values: [String], to writer: inout JSONWriter) {
    writer.key(name)
    writer.beginArray()
    for value in values { writer.string(value) }
    writer.endArray()
  }

  /// A member left out keeps its value.
  static func read(_ body: [UInt8], onTopOf current: Rollout) throws(BodyRefused) -> Rollout {
    do {
      return try JSON.parse(body, depthMax: 4) { root in
        guard root.kind == .object else { throw BodyRefused.invalid(pointer: "", expected: "an object") }
        var rollout = current
        if let node = root["mode"] {
          guard let mode = node.string.flatMap(Rollout.Mode.init) else {
            throw BodyRefused.invalid(pointer: "/mode", expected: "off, shadow, allow-list, percent:N or on")
          }
          rollout.mode = mode
        }
        if let node = root["startsPaused"] {
          guard let paused = node.bool else {
            throw BodyRefused.invalid(pointer: "/startsPaused", expected: "true or false")
          }
          rollout.startsPaused = paused
        }
        if let apps = try words(root["pausedApps"], "/pausedApps", max: appsMax) { rollout.pausedApps = Set(apps) }
        if let users = try words(root["allowList"], "/allowList", max: usersMax) {
          rollout.allowList = Set(users.map { UserID($0) })
        }
        return rollout
      }
    } catch let error as BodyRefused {
      throw error
    } catch let error as JSONError {
      throw .malformed(error.explanation)
    } catch {
      throw .malformed("could not be read")
    }
  }

  private static func words(_ node: JSONNode?, _ pointer: String, max: Int) throws -> [String]? {
    guard let node else { return nil }
    let refusal = BodyRefused.invalid(pointer: pointer, expected: "a list of at most \(max) ids")
    guard node.kind == .array else { throw refusal }
    let words = node.elements.map(\.string)
    guard words.count <= max else { throw refusal }
    return try words.map { word in
      guard let word, RegistrationLimits.isIdentifier(word) else { throw refusal }
      return word
    }
  }
}
