import Testing

@testable import APNsSimulator

/// The app builds decode exactly what `JSONDecoder` with its defaults decodes.
@Suite struct AppShapeTests {
  private func content(_ build: AppBuild, _ state: String) -> ShownContent? {
    PushPayload.decode(Array(#"{"aps":{"content-state":\#(state)}}"#.utf8), for: build)?.content
  }

  @Test func aRangeOfDatesIsAnArrayOfReferenceSeconds() {
    let range = #"{"driverName":"Lin","estimatedDeliveryTime":[812000000,812000600],"currentStep":"delivering"}"#
    let arrival: Int64 = 812_000_600 + 978_307_200
    #expect(content(.timer, range)?.arrival == arrival)
    let object = #"{"currentStep":"delivering","estimatedDeliveryTime":{"lowerBound":1,"upperBound":2}}"#
    #expect(content(.timer, object) == nil)
    #expect(content(.timer, #"{"currentStep":"delivering","estimatedDeliveryTime":[2,1]}"#) == nil)
  }

  @Test func otherShapes() {
    #expect(content(.compact, #"{"stage":"ready","remainingMeters":12}"#)?.stage == Steps(.ready))
    #expect(content(.minutes, #"{"status":"ready","estimatedArrivalMinutes":12}"#)?.stage == Steps(.ready))
    #expect(content(.minutes, #"{"status":"ready","estimatedArrivalMinutes":12.5}"#) == nil)
    #expect(content(.texts, #"{"emoji":"x","title":"t","body":"b"}"#)?.stage == .any)
    #expect(content(.texts, #"{"emoji":"x","title":"t"}"#) == nil)
  }

  @Test func anOldBuildFailsOnWordsItDoesNotKnow() throws {
    let bench = try Bench()
    let phone = try bench.phoneWithCard { $0.app = .builtInOld }
    try bench.tell(phone, "returning")
    bench.run(2)
    #expect(bench.dropped() == ["decode"])
  }
}
