import APNsSimulator

extension Command {
  static let simulator = Command(
    name: "apns-simulator", usage: "apns-simulator [--port P] [--control-port C] [--out DIR] [--api URL] ...",
    summary: "plays Apple's side and the phones, for tests and demos",
    run: { await APNsSimulatorProcess.run($0) })
}
