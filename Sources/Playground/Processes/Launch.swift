import Glibc
import Runtime

/// What to start, and how. Descriptors of ours are close-on-exec and so do not reach the child.
struct Launch: Sendable {
  let arguments: [String]
  let environment: [String: String]
  let logPath: String

  /// The child's number.
  func spawn() throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, logPath, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    // Threads of the cooperative pool block every signal, and threads they start inherit that.
    posix_spawnattr_setsigmask(&attributes, &none)
    var defaults = none
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    let code = withStrings(arguments) { arguments in
      withStrings(inherited + environment.map { "\($0.key)=\($0.value)" }) { environment in
        posix_spawnp(&child, self.arguments[0], &actions, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw SystemError(call: "posix_spawn \(arguments[0])", code: code) }
    return child
  }

  /// Exit status, or 128 plus the signal that ended it.
  func waitForEnd(of pid: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  private var inherited: [String] {
    ["PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR"].compactMap { (name: String) in
      getenv(name).map { "\(name)=\(String(cString: $0))" }
    }
  }

  /// Calls `body` with a null-terminated array of C strings.
  private func withStrings(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32) -> Int32 {
    let pointers = strings.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }
}
