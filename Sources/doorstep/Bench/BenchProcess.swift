import Glibc
import Runtime

/// A child process of a benchmark, on a core of its own, and what it cost.
struct BenchProcess {
  /// CPU seconds of the whole process.
  struct Cost {
    var user: Double
    var system: Double
    var total: Double { user + system }
  }

  let pid: pid_t

  /// Starts `program` with its standard output in a file; on one core, or on all for nil.
  init(core: Int?, program: String, arguments: [String], output: String) throws(SystemError) {
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let pinning = core.flatMap { cores > 1 ? ["taskset", "-c", String($0)] : nil }
    let words = (pinning ?? []) + [program] + arguments
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var pointers = words.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    pointers.append(nil)
    var pid: pid_t = 0
    errno = posix_spawnp(&pid, words[0], &actions, nil, &pointers, environ)
    guard errno == 0 else { throw SystemError.last("start \(words[0])") }
    self.pid = pid
  }

  /// Waits for its end; nil when it failed. Call from one place at a time: it measures all children that ended.
  func cost() -> Cost? {
    let before = Self.children()
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let after = Self.children()
    guard status == 0 else { return nil }
    return Cost(user: after.user - before.user, system: after.system - before.system)
  }

  func stop() {
    kill(pid, SIGTERM)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
  }

  private static func children() -> Cost {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return Cost(user: seconds(usage.ru_utime), system: seconds(usage.ru_stime))
  }

  /// Path of this program.
  static let ownProgram: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Resident memory of this process in KiB.
  static func residentKiB() -> Int {
    guard let bytes = try? BenchFiles.read("/proc/self/statm") else { return 0 }
    let pages = bytes.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1024
  }
}

/// Small text files through which the processes of a benchmark talk.
enum BenchFiles {
  static func write(_ text: String, to path: String) throws(SystemError) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError.last("create \(temporary)") }
    defer { close(descriptor) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw SystemError.last("write \(temporary)") }
      bytes = bytes.dropFirst(count)
    }
    guard rename(temporary, path) == 0 else { throw SystemError.last("rename \(temporary)") }
  }

  static func read(_ path: String) throws(SystemError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: content, as: UTF8.self) }
      content.append(contentsOf: chunk.prefix(count))
    }
  }
}
