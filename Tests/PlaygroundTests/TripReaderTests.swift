import Testing

@testable import Playground

struct TripReaderTests {
  private func csv(_ text: String) throws -> [Trip] { try CSVTrips.read(Array(text.utf8), name: "rides.csv") }
  private func gpx(_ text: String) throws -> [Trip] { try GPXTrips.read(Array(text.utf8), name: "rides.gpx") }

  private func message(_ body: () throws -> [Trip]) -> String {
    do {
      return "\(try body().count) trips"
    } catch {
      return "\(error)"
    }
  }

  @Test func readsTheColumnsWhereverTheyStand() throws {
    let trips = try csv("lat,trip_id,x,lon,t_s\r\n1.5,a,,2.5,0\r\n1.6,a,,2.6,6\r\n3,\"b\",,4,10\r\n3,\"b\",,5,20\r\n")
    #expect(trips.map(\.id) == ["a", "b"])
    #expect(trips[0].points.map(\.seconds) == [0, 6])
    #expect(trips[1].points.map(\.seconds) == [0, 10])
    #expect(trips[0].start.latitude == 1.5)
  }

  @Test func leavesOutWhatTheFileItselfCallsNotDirect() throws {
    let trips = try csv("trip_id,t_s,lat,lon,direct\na,0,1,1,0\na,5,1,2,0\nb,0,1,1,1\nb,5,1,2,1\n")
    #expect(trips.map(\.id) == ["b"])
  }

  @Test func timesThatDoNotRiseAreLeftOut() throws {
    let trips = try csv("trip_id,t_s,lat,lon\na,0,1,1\na,5,1,2\na,5,1,3\na,4,1,4\na,9,1,5\n")
    #expect(trips[0].points.map(\.seconds) == [0, 5, 9])
  }

  @Test(arguments: [
    ("id,lat,lon\n", "rides.csv line 1: no column trip_id; expected a header with trip_id, t_s, lat and lon"),
    ("trip_id,t_s,lat,lon\na,0,91,1\n", "rides.csv line 2: t_s, lat or lon is missing or not a number in range"),
    ("trip_id,t_s,lat,lon\na,nan,1,1\n", "rides.csv line 2: t_s, lat or lon is missing or not a number in range"),
    ("trip_id,t_s,lat,lon\na,0,1,1\na,1\n", "rides.csv line 3: t_s, lat or lon is missing or not a number in range"),
    ("trip_id,t_s,lat,lon\n", "0 trips"),
    ("", "rides.csv line 1: no column trip_id; expected a header with trip_id, t_s, lat and lon"),
  ])
  func saysWhichLineIsWrong(text: String, expected: String) {
    #expect(message { try csv(text) } == expected)
  }

  @Test func readsTracksWithTimes() throws {
    let text = """
      <?xml version="1.0"?><gpx><!-- <trkpt lat="0" lon="0"/> --><metadata><time>2026-05-01T00:00:00Z</time></metadata>
      <trk><name><![CDATA[<trkpt>]]></name><trkseg>
      <trkpt lat="48.1" lon="11.5"><ele>5</ele><time>2026-05-01T08:00:00Z</time></trkpt>
      <trkpt lon='11.6' lat='48.2'><time>2026-05-01T08:00:30.500Z</time></trkpt>
      <trkpt lat="48.3" lon="11.7"/>
      </trkseg></trk><trk><trkpt lat="1" lon="1"/></trk></gpx>
      """
    let trips = try gpx(text)
    #expect(trips.count == 1)
    #expect(trips[0].points.map(\.seconds) == [0, 30.5])
    #expect(trips[0].end.longitude == 11.6)
  }

  @Test(arguments: [
    ("<gpx>\n<trk><trkpt lat=\"x\" lon=\"1\">", "rides.gpx line 2: a trkpt without a valid lat and lon"),
    (
      "<gpx><trk><trkpt lat=\"1\" lon=\"1\"><time>yesterday</time>",
      "rides.gpx line 1: expected a time such as 2026-05-01T08:15:30Z"
    ),
    ("<gpx><trk><trkpt lat=\"1\" lon", "0 trips"),
    ("<", "0 trips"),
  ])
  func saysWhatIsWrongWithATrack(text: String, expected: String) {
    #expect(message { try gpx(text) } == expected)
  }

  @Test func anythingAtAllIsReadWithoutATrap() throws {
    let bytes = Array("<gpx><trk><trkpt lat=\"1\" lon=\"1\"><time>2026-05-01T08:00:00Z</time></trkpt></trk>".utf8)
    for end in bytes.indices { _ = try? GPXTrips.read(Array(bytes[..<end]), name: "cut.gpx") }
    for index in bytes.indices {
      var mutated = bytes
      mutated[index] = UInt8(truncatingIfNeeded: index &* 37)
      _ = try? GPXTrips.read(mutated, name: "mutated.gpx")
      _ = try? CSVTrips.read(mutated, name: "mutated.csv")
    }
  }

  @Test func missingFileIsOneSentence() {
    let path = "/nowhere/rides.csv"
    #expect(message { try TripReader.trips(in: path) } == "cannot read \(path): No such file or directory")
  }
}
