import Numerics
import Testing

struct DistanceTests {
  @Test func aDegreeOfLatitude() {
    let meters = Numerics.distanceMeters(latitude1: 10, longitude1: 20, latitude2: 11, longitude2: 20)
    #expect(abs(meters - 111_195.08) < 0.01)
  }

  @Test func halfAroundTheEarth() {
    let meters = Numerics.distanceMeters(latitude1: 0, longitude1: 0, latitude2: 0, longitude2: 180)
    #expect(abs(meters - Numerics.pi * Numerics.earthRadiusMeters) < 0.001)
  }

  @Test func theSamePlaceIsNoDistanceAway() {
    #expect(Numerics.distanceMeters(latitude1: 52.5, longitude1: 13.4, latitude2: 52.5, longitude2: 13.4) == 0)
  }

  @Test func theShortFormulaAgreesNearby() {
    for latitude in stride(from: -60.0, through: 60, by: 15) {
      for step in stride(from: -0.3, through: 0.3, by: 0.05) {
        let exact = Numerics.distanceMeters(
          latitude1: latitude, longitude1: 179.9, latitude2: latitude + step, longitude2: 179.9 + step - 360)
        let short = Numerics.shortDistanceMeters(
          latitude1: latitude, longitude1: 179.9, latitude2: latitude + step, longitude2: 179.9 + step - 360)
        #expect(abs(exact - short) <= exact * 0.001 + 1e-6)
      }
    }
  }
}
