import API
import Configuration
import Observability
import Runtime
import Service

extension Command {
  static let serve = Command(
    name: "serve", usage: "serve [--roles ingest,dispatch,api] [--config FILE]",
    summary: "the service: consumes events, keeps deliveries, pushes to phones, serves the API"
  ) { arguments in
    // Everything is made before anything is opened: what fails here is a setting, or a file that one names.
    do {
      var arguments = arguments
      let settings = try Configured(&arguments).settings
      guard let roles = Role.roles(of: arguments) else {
        Terminal.error("usage: doorstep serve [--roles ingest,dispatch,api] [--config FILE]")
        return ExitStatus.wrongUse
      }
      let process = ServeProcess(parts: try Parts(settings: settings))
      let reload = Reload(logger: process.parts.logger)
      let services = try process.services(for: roles, reload: reload)
      return await process.run(services, reload: reload)
    } catch { return Configured.wrong(error) }
  }
}

/// What a process does; one process may do all of it.
enum Role: String, CaseIterable {
  case ingest, dispatch, api

  /// nil when the arguments are not understood.
  static func roles(of arguments: [String]) -> Set<Role>? {
    if arguments.isEmpty { return Set(allCases) }
    guard arguments.count == 2, arguments[0] == "--roles" else { return nil }
    let names = arguments[1].split(separator: ",").map { Role(rawValue: String($0)) }
    return names.isEmpty || names.contains(nil) ? nil : Set(names.compactMap { $0 })
  }
}

/// One run of `doorstep serve`, from first port to last settlement.
struct ServeProcess {
  let parts: Parts

  func run(_ made: [any ManagedService], reload: Reload) async -> Int32 {
    let stop = StopSignal()
    do {
      let ops = parts.ops()
      let gate = DatabaseGate(parts: parts)
      let services = ServiceGroup([gate] + made)
      try stop.watch(reload: reload)
      parts.logger.log(.starting, .version(Doorstep.version))
      try await ServiceGroup([ops]).start(drainTimeoutSeconds: parts.settings.shutdownSeconds)
      guard try await opened(gate, unless: stop) else { return ExitStatus.done }
      try await services.start(drainTimeoutSeconds: parts.settings.shutdownSeconds)
      parts.logger.log(.started)
      await stop.wait()
      return await drained(services, ops)
    } catch {
      parts.logger.log(.stopped, .error(error))
      return Configured.report(error)
    }
  }

  func services(for roles: Set<Role>, reload: Reload) throws -> [any ManagedService] {
    var services: [any ManagedService] = [parts.rolloutWatch()]
    if roles.contains(.dispatch) {
      let gateway = try parts.gateway()
      reload.add { try gateway.reloadKeys() }
      services += [gateway, parts.dispatcher(through: gateway)]
    }
    if roles.contains(.api) {
      let api = try parts.api()
      reload.add { [parts] in api.reload(try parts.authenticationKeys()) }
      services.append(api)
    }
    if roles.contains(.ingest) { services.append(try parts.ingest()) }
    return services
  }

  /// False when the process was asked to stop while it waited for the database.
  private func opened(_ gate: DatabaseGate, unless stop: StopSignal) async throws -> Bool {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await gate.open()
        return true
      }
      group.addTask {
        await stop.wait()
        return false
      }
      let first = try await group.next() ?? false
      group.cancelAll()
      return first
    }
  }

  private func drained(_ services: ServiceGroup, _ ops: OpsServer) async -> Int32 {
    parts.health.beginDraining()
    parts.logger.log(.draining)
    let late = await services.drain(timeoutSeconds: parts.settings.shutdownSeconds)
    _ = await ServiceGroup([ops]).drain(timeoutSeconds: 1)
    for name in late { parts.logger.log(.drainLate, .detail(name)) }
    parts.logger.log(.stopped)
    return late.isEmpty ? ExitStatus.done : ExitStatus.failed
  }
}
