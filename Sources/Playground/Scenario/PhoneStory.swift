/// What happens to the customer's phone during an order, by the order's special case.
struct PhoneStory {
  let plan: OrderPlan

  /// Card seconds and actions.
  var actions: [(at: Double, action: PhoneAction)] {
    let drive = plan.timeline.delivered - plan.timeline.delivering
    func onTheWay(_ share: Double) -> Double { plan.timeline.delivering + share * drive }
    let early = (plan.timeline.accepted + plan.timeline.pickedUp) / 2
    switch plan.special {
    case .deadToken: return [(onTheWay(0.3), act("killToken", order: plan.id))]
    case .rotation: return [(onTheWay(0.3), act("rotateTokens"))]
    case .swipe: return [(early, act("swipe", order: plan.id))]
    case .swipeReported: return [(early, act("swipeReported", order: plan.id))]
    case .offline: return [(early, act("offline")), (onTheWay(0.3), act("online"))]
    case .forceQuit: return [(early, act("forceQuit"))]
    case .reboot: return [(early, act("reboot"))]
    case .twoUsers:
      return [(early, act("logOut")), (early + 30 * plan.timeline.scale, act("logIn", user: plan.user + "-other"))]
    case .restoredBackup: return [(early, act("restoreBackup", onto: plan.phone + "-new"))]
    case .reinstall: return [(early, act("reinstall", onto: plan.phone + "-again"))]
    case .lowPower: return [(early, act("lowPowerOn")), (onTheWay(0.5), act("lowPowerOff"))]
    default: return []
    }
  }

  private func act(_ action: String, order: String? = nil, user: String? = nil, onto: String? = nil) -> PhoneAction {
    PhoneAction(installation: plan.phone, action: action, order: order, user: user, onto: onto)
  }
}
