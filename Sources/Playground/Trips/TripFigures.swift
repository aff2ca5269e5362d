/// What real trips measured, as quantiles: the figures that made-up trips are drawn from and tested against.
///
/// A stop is a run of steps of at most 1 m/s; a moving speed is a step's distance over its time when above that; the
/// detour is the way over the straight line; the stand step is the distance between fixes at up to 0.5 m/s.
public struct TripFigures: Sendable {
  static let shares = [0.02, 0.10, 0.25, 0.50, 0.75, 0.90, 0.98]

  public let pathMeters: Quantiles
  public let detour: Quantiles
  public let movingMetersPerSecond: Quantiles
  public let stopsPerKilometer: Quantiles
  public let stopSeconds: Quantiles
  public let gapSeconds: Quantiles
  public let standStepMeters: Quantiles
  /// Results of the above, not drawn from: what a test compares.
  public let tripSeconds: Quantiles
  public let metersPerSecond: Quantiles
  public let stopShare: Quantiles
  /// Correlation of the speeds of neighbouring steps, and the spread of a trip's mean, both in normal scores.
  public let speedPersistence: Double
  public let speedSpreadBetweenTrips: Double

  /// 53 delivery-like trips of cars in Aracaju, 2014 and 2015, a fix every 6 s or so: "GPS Trajectories" (Go!Track),
  /// UCI Machine Learning Repository, CC BY 4.0. Figures only; no row of it is here.
  public static let aracaju = TripFigures(
    pathMeters: Quantiles(at: shares, [1_780, 2_770, 3_790, 6_190, 7_400, 9_100, 10_940]),
    detour: Quantiles(at: shares, [1.02, 1.12, 1.19, 1.35, 1.54, 1.66, 1.78]),
    movingMetersPerSecond: Quantiles(at: shares, [1.22, 2.05, 4.44, 8.13, 12.40, 15.70, 20.89]),
    stopsPerKilometer: Quantiles(at: shares, [0.22, 0.44, 0.67, 1.02, 1.69, 2.59, 4.03]),
    stopSeconds: Quantiles(at: shares, [5, 6, 11, 17, 39, 63.8, 115.8]),
    gapSeconds: Quantiles(at: shares, [5, 5, 5, 6, 10, 11, 17]),
    standStepMeters: Quantiles(at: shares, [0, 0, 0, 0.22, 1.04, 2.34, 4.55]),
    tripSeconds: Quantiles(at: shares, [268, 405, 577, 858, 1_234, 1_576, 1_957]),
    metersPerSecond: Quantiles(at: shares, [3.31, 4.26, 5.46, 6.56, 7.47, 8.23, 11.20]),
    stopShare: Quantiles(at: shares, [0.03, 0.05, 0.12, 0.22, 0.31, 0.33, 0.42]),
    speedPersistence: 0.72, speedSpreadBetweenTrips: 0.49)
}
