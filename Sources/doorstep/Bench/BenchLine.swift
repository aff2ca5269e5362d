import Codecs

/// One line of a benchmark's output.
enum BenchLine {
  /// Prints figure, its reference measured in the same run, and their ratio.
  static func print(_ bench: String, _ figure: Double, _ unit: String, reference: Double) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("bench")
    writer.string(bench)
    writer.key("figure")
    writer.double(rounded(figure))
    writer.key("unit")
    writer.string(unit)
    writer.key("reference")
    writer.double(rounded(reference))
    writer.key("ratio")
    writer.double(reference > 0 ? rounded(figure / reference) : 0)
    writer.endObject()
    Terminal.print(String(decoding: writer.bytes, as: UTF8.self))
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
