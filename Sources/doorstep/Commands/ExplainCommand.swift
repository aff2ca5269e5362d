import Configuration
import Domain
import Service

extension Command {
  static let explain = Command(
    name: "explain", usage: "explain ORDER_ID [--config FILE]",
    summary: "why the phones of an order show what they show, as JSON"
  ) { arguments in
    do {
      var arguments = arguments
      let settings = try Configured(&arguments).settings
      guard arguments.count == 1, let order = arguments.first, !order.hasPrefix("-") else {
        Terminal.error("usage: doorstep explain ORDER_ID [--config FILE]")
        return ExitStatus.wrongUse
      }
      let parts = try Parts(settings: settings)
      let explainer = Explainer(deliveries: parts.store, dispatch: parts.store, clock: parts.clock)
      guard let explanation = try await explainer.explain(OrderID(order)) else {
        Terminal.error("no order \(order) is known; it was never heard of, or it was pruned after it ended")
        return ExitStatus.failed
      }
      Terminal.print(String(decoding: explanation.json(), as: UTF8.self))
      await parts.store.close()
      return ExitStatus.done
    } catch { return Configured.report(error) }
  }
}
