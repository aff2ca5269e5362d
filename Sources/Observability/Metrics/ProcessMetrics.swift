import Glibc

/// What the kernel says of this process, read when somebody asks.
final class ProcessMetrics: Sendable {
  /// A counter that the kernel keeps: here it is only copied.
  private let cpu = Gauge(MetricTable.processCPU)
  private let resident = Gauge(MetricTable.processResident)
  private let virtual = Gauge(MetricTable.processVirtual)
  private let openFiles = Gauge(MetricTable.processOpenFiles)
  private let maxFiles = Gauge(MetricTable.processMaxFiles)
  private let start = Gauge(MetricTable.processStart)

  var all: [any Metric] { [cpu, resident, virtual, openFiles, maxFiles, start] }

  func refresh() {
    openFiles.set(Double(Self.openDescriptors()))
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 { maxFiles.set(Double(limit.rlim_cur)) }
    // Fields behind the parenthesised name, which may itself hold spaces (proc(5)): utime is the 12th of them.
    let fields = Self.text("/proc/self/stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 21, let user = Double(fields[11]), let system = Double(fields[12]),
      let started = Double(fields[19]), let virtualBytes = Double(fields[20]), let pages = Double(fields[21])
    else { return }
    let ticks = Double(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    cpu.set((user + system) / ticks)
    virtual.set(virtualBytes)
    resident.set(pages * Double(max(sysconf(Int32(_SC_PAGESIZE)), 1)))
    start.set(Self.bootTime + started / ticks)
  }

  /// Unix seconds at which the machine started.
  private static let bootTime: Double = {
    let line = text("/proc/stat").split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Double($0.dropFirst(6)) } ?? 0
  }()

  private static func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Less `.`, `..` and the folder's own descriptor.
    return max(count - 3, 0)
  }

  private static func text(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
