import Testing

@testable import APNs

/// The the table of docs/apns.md 3.1, row by row.
@Suite struct ReactionTests {
  private static let table: [(Int, String, Reaction)] = [
    (200, "", .accepted),
    (400, "BadCollapseId", .mistake),
    (400, "BadDeviceToken", .suspectToken),
    (400, "BadExpirationDate", .mistake),
    (400, "BadMessageId", .mistake),
    (400, "BadPriority", .mistake),
    (400, "BadTopic", .mistake),
    (400, "DeviceTokenNotForTopic", .suspectToken),
    (400, "DuplicateHeaders", .mistake),
    (400, "IdleTimeout", .newConnection),
    (400, "InvalidPushType", .mistake),
    (400, "MissingDeviceToken", .mistake),
    (400, "MissingTopic", .mistake),
    (400, "PayloadEmpty", .mistake),
    (400, "TopicDisallowed", .refusedApp),
    (403, "BadCertificate", .refusedKey),
    (403, "BadCertificateEnvironment", .refusedKey),
    (403, "ExpiredProviderToken", .expiredProviderToken),
    (403, "Forbidden", .refusedKey),
    (403, "InvalidProviderToken", .invalidProviderToken),
    (403, "MissingProviderToken", .mistake),
    (403, "UnrelatedKeyIdInToken", .newConnection),
    (403, "BadEnvironmentKeyIdInToken", .refusedKey),
    (403, "BadEnvironmentKeyInToken", .refusedKey),
    (404, "BadPath", .mistake),
    (405, "MethodNotAllowed", .mistake),
    (410, "ExpiredToken", .dropToken),
    (410, "Unregistered", .dropToken),
    (410, "", .dropToken),
    (413, "PayloadTooLarge", .mistake),
    (429, "TooManyProviderTokenUpdates", .keepProviderToken),
    (429, "TooManyRequests", .backOffToken),
    (500, "InternalServerError", .backOff),
    (503, "ServiceUnavailable", .backOff),
    (503, "Shutdown", .leaveServer),
  ]

  @Test(arguments: table)
  func everyRowHasItsReaction(status: Int, reason: String, expected: Reaction) {
    #expect(Reaction(status: status, body: AnswerBody(reason: reason)) == expected)
  }

  @Test func theTableKnowsEveryWord() {
    let words = Set(Self.table.map { $0.1 }).subtracting([""])
    #expect(words == Set(KnownReason.allCases.map(\.rawValue)))
  }

  @Test func anUnknownWordFollowsTheStatus() {
    let word = AnswerBody(reason: "ReasonFromNextYear")
    let expected: [Int: Reaction] = [
      200: .accepted, 400: .mistake, 403: .refusedKey, 404: .mistake, 410: .mistake, 429: .backOff, 500: .backOff,
      599: .backOff, 700: .backOff, 204: .unclear, 302: .unclear, 0: .unclear, -1: .unclear,
    ]
    for (status, reaction) in expected { #expect(Reaction(status: status, body: word) == reaction, "\(status)") }
  }

  @Test func noStatusAndNoWordIsLeftWithoutAReaction() {
    for status in -1...1000 {
      for reason in KnownReason.allCases { _ = Reaction(status: status, body: AnswerBody(reason: reason.rawValue)) }
    }
  }

  @Test func bodiesAreReadOrLeftAside() {
    #expect(
      AnswerBody(Array(#"{"reason":"Unregistered","timestamp":1454948015990}"#.utf8))
        == AnswerBody(reason: "Unregistered", timestampMilliseconds: 1_454_948_015_990))
    for text in ["", "gone", "[]", "null", "{", #"{"reason":7}"#, #"{"timestamp":"x"}"#, "\u{FF}", #"{"reason":null}"#]
    {
      #expect(AnswerBody(Array(text.utf8)) == AnswerBody(), "\(text)")
    }
    #expect(AnswerBody([0xC3, 0x28, 0x00]) == AnswerBody())
    let long = #"{"reason":"\#(String(repeating: "a", count: 5000))\u0000\n ä"}"#
    #expect(AnswerBody(Array(long.utf8)).reason == String(repeating: "a", count: AnswerBody.reasonBytesMax))
    #expect(AnswerBody(Array(#"{"reason":"Bad\nWord ä"}"#.utf8)).reason == "BadWord")
  }
}
