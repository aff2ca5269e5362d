import Glibc
import Runtime

/// The shell that runs the server and ends it when its standard input closes, however this process ends.
final class EmbeddedPostgresSupervisor: Sendable {
  let port: UInt16
  let folder: String
  private let pid: pid_t
  /// The socket whose closing ends the server; nil once closed.
  private let leash: Lock<Int32?>

  /// `initdb` refuses root; the server gets a signal of its own when this shell is killed. Data need not outlive
  /// the leash, so the end is the immediate shutdown.
  private static let script = """
    bin=$1 folder=$2 port=$3 connections=$4 user=$5
    cd "$folder"
    run() {
      if [ -n "$user" ]; then
        exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --pdeathsig QUIT "$@"
      else
        exec setpriv --pdeathsig QUIT "$@"
      fi
    }
    end() { cd /; rm -rf "$folder"; exit "$1"; }
    fail() { echo "failed: $(tail -n 3 "$folder/log" | tr '\\n' ' ')"; end 1; }
    [ -z "$user" ] || chown "$user" "$folder"
    (run "$bin/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C --no-sync) \
      >"$folder/log" 2>&1 </dev/null || fail
    run "$bin/postgres" -D "$folder/data" -c listen_addresses=127.0.0.1 -c port="$port" \
      -c unix_socket_directories="$folder" -c max_connections="$connections" -c shared_buffers=128MB \
      >"$folder/log" 2>&1 </dev/null &
    server=$!
    until "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" -U postgres; do
      kill -0 "$server" 2>/dev/null || fail
      sleep 0.05
    done
    echo ready
    while read -r _; do :; done
    kill -QUIT "$server"
    wait "$server"
    end 0
    """

  init(binaries: EmbeddedPostgresBinaries, maxConnections: Int) throws(EmbeddedPostgresError) {
    folder = try Self.makeFolder()
    port = try Self.freePort()
    let ends = try Self.socketPair()
    let arguments = [
      "/bin/sh", "-c", Self.script, "doorstep-postgres", binaries.folder, folder, "\(port)", "\(maxConnections)",
      binaries.user ?? "",
    ]
    pid = Self.spawn(arguments, inputAndOutput: ends.theirs)
    close(ends.theirs)
    leash = Lock(ends.ours)
    guard pid > 0 else { throw EmbeddedPostgresError("cannot start /bin/sh to run the embedded PostgreSQL") }
    let answer = Self.line(from: ends.ours)
    guard answer == "ready" else {
      stop()
      throw EmbeddedPostgresError("the embedded PostgreSQL in \(folder) does not start: \(answer)")
    }
  }

  func stop() {
    let held = leash.withLock { leash -> Int32? in
      defer { leash = nil }
      return leash
    }
    guard let held else { return }
    close(held)
    var status: Int32 = 0
    while pid > 0, waitpid(pid, &status, 0) < 0, errno == EINTR {}
  }

  private static func makeFolder() throws(EmbeddedPostgresError) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/doorstep-postgres-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw EmbeddedPostgresError("cannot make a folder in \(base): \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func freePort() throws(EmbeddedPostgresError) -> UInt16 {
    let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(handle) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
      }
    }
    guard bound else { throw EmbeddedPostgresError("no free loopback port: \(String(cString: strerror(errno)))") }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func socketPair() throws(EmbeddedPostgresError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw EmbeddedPostgresError("cannot make a socket pair: \(String(cString: strerror(errno)))")
    }
    return (ends[0], ends[1])
  }

  /// In a process group of its own, so that Ctrl-C in the terminal leaves the tidying to the leash.
  private static func spawn(_ arguments: [String], inputAndOutput: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputAndOutput, 0)
    posix_spawn_file_actions_adddup2(&actions, inputAndOutput, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var pid: pid_t = -1
    let pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return posix_spawn(&pid, arguments[0], &actions, &attributes, pointers, environ) == 0 ? pid : -1
  }

  private static func line(from handle: Int32) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 2_000 {
      let count = read(handle, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      guard count == 1, byte != UInt8(ascii: "\n") else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
