/// `--phones`: how many, and which behaviours by weight, such as `1000:default=8,swipes=1`.
struct PhoneMix {
  static let phonesMax = 1_000_000

  let count: Int
  let weights: [(name: String, weight: Int)]

  init(_ text: String) throws(SimulatorOptions.WrongUse) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard let first = parts.first, let count = Int(first), (1...Self.phonesMax).contains(count) else {
      throw SimulatorOptions.WrongUse(description: "--phones \(text): expected N or N:NAME=WEIGHT,...")
    }
    self.count = count
    var weights: [(String, Int)] = []
    for part in parts.count > 1 ? parts[1].split(separator: ",") : [] {
      let pair = part.split(separator: "=")
      guard pair.count == 2, let weight = Int(pair[1]), weight > 0, Behaviour.presets[String(pair[0])] != nil else {
        let known = Behaviour.presets.keys.sorted().joined(separator: ", ")
        throw SimulatorOptions.WrongUse(description: "--phones: \(part): expected NAME=WEIGHT, NAME of \(known)")
      }
      weights.append((String(pair[0]), weight))
    }
    self.weights = weights.isEmpty ? [("default", 1)] : weights
  }

  /// Installations `i-1`..., users `u-1`....
  func specs(_ options: SimulatorOptions) -> [PhoneSpec] {
    var random = SeededRandom(seed: options.seed)
    let total = weights.reduce(0) { $0 + $1.weight }
    return (1...count).map { number in
      var spec = PhoneSpec(installation: "i-\(number)", user: "u-\(number)")
      spec.bundle = options.bundles.first ?? spec.bundle
      var pick = Int(random.unit() * Double(total))
      for (name, weight) in weights {
        if pick < weight {
          spec.behaviour = Behaviour.presets[name] ?? Behaviour()
          break
        }
        pick -= weight
      }
      return spec
    }
  }
}
