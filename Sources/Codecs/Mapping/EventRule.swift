import Domain

/// How one event is read out of one record: where each field comes from. The built-in form is such a rule too.
struct EventRule: Sendable {
  /// All must hold, for each element when there is `each`; a rule without conditions always applies.
  var conditions: [Condition] = []
  /// An array in the record whose elements each give one event; `element` sources start at the element.
  var each: Pointer?
  /// By `EventField.rawValue`; nil for fields that this rule does not read.
  private(set) var fields: [FieldRule?] = Array(repeating: nil, count: EventField.allCases.count)
  /// The record's key must be the order or rider id, when there is a key.
  var keyIsSubject = false

  subscript(field: EventField) -> FieldRule? {
    get { fields[field.rawValue] }
    set { fields[field.rawValue] = newValue }
  }
}

/// Where one field comes from and how it is turned into ours.
struct FieldRule: Sendable {
  /// Tried in order; the first that is present and not null counts.
  var sources: [FieldSource]
  /// The platform's word to ours; `*` stands for every other word.
  var words: [String: String]?
  /// Put before identifiers, so that equal ids of two markets stay two.
  var namespace = ""
  var time: TimeFormat = .rfc3339
  var unit: Unit = .asIs
  /// Numbers may come as JSON strings.
  var acceptsNumericText = false
  /// Where the value is looked for and which line of the mapping says so; nil in the built-in form.
  var origin: String?
}

enum FieldSource: Sendable {
  /// From the root of the record's value.
  case value(Pointer)
  /// From the element of `each`.
  case element(Pointer)
  /// From the record's key, read as JSON.
  case keyDocument(Pointer)
  case header(String)
  case key
  /// Ours already: `words` are not applied to it.
  case constant(String)

  var isKeyDocument: Bool {
    if case .keyDocument = self { true } else { false }
  }
}

struct Condition: Sendable {
  enum Test: Sendable {
    case present, absent
    case equals([String])
  }
  var source: FieldSource
  var test: Test
}

enum TimeFormat: String, Sendable, CaseIterable { case rfc3339, unixSeconds, unixMilliseconds, unixMicroseconds }

/// What a number of the platform counts.
enum Unit: String, Sendable, CaseIterable {
  case asIs, degreesE6, degreesE7, kilometers, miles, kilometersPerHour, milesPerHour, knots, radians

  /// The number in degrees, metres or metres per second. Divisions where they are exact.
  func convert(_ number: Double) -> Double {
    switch self {
    case .asIs: number
    case .degreesE6: number / 1_000_000
    case .degreesE7: number / 10_000_000
    case .kilometers: number * 1_000
    case .miles: number * 1_609.344
    case .kilometersPerHour: number / 3.6
    case .milesPerHour: number * 0.44704
    case .knots: number * 1_852 / 3_600
    case .radians: number * 180 / .pi
    }
  }
}
