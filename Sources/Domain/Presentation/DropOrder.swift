/// Which of a rider's deliveries come first, where the platform does not say: in the order of pick-up, which is how
/// routes are planned when nothing is known of them; equal times by id.
public enum DropOrder {
  /// How many of `others` (deliveries of the same rider) come before `delivery`.
  public static func dropsBefore(_ delivery: Delivery, among others: [Delivery]) -> Int {
    guard let rider = delivery.rider, let own = key(of: delivery) else { return 0 }
    return others.count { other in
      guard other.id != delivery.id, other.rider == rider, let key = key(of: other) else { return false }
      return key < own
    }
  }

  private static func key(of delivery: Delivery) -> (Instant, OrderID)? {
    guard [.pickedUp, .delivering, .arriving].contains(delivery.stage) else { return nil }
    return (delivery.began(.pickedUp) ?? delivery.began(.delivering) ?? .distantPast, delivery.id)
  }
}
