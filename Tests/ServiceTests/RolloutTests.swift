import Domain
import Service
import Testing

@Suite struct RolloutTests {
  private func phone(_ user: String?, app: String = "a.b") -> Installation {
    var phone = Installation(id: InstallationID("i"), bundleID: app, environment: .sandbox)
    phone.user = user.map { UserID($0) }
    return phone
  }

  @Test func modesDecideWhoIsPushedTo() {
    #expect(Rollout(mode: .on).permits(.update, to: phone(nil)))
    #expect(!Rollout(mode: .off).permits(.end(repeated: false), to: phone("u")))
    #expect(!Rollout(mode: .shadow).permits(.update, to: phone("u")))
    let listed = Rollout(mode: .allowList, allowList: [UserID("u")])
    #expect(listed.permits(.update, to: phone("u")))
    #expect(!listed.permits(.update, to: phone("v")) && !listed.permits(.update, to: phone(nil)))
  }

  @Test func killSwitchesStopStartsOrAnApp() {
    let paused = Rollout(startsPaused: true)
    #expect(!paused.permits(.start, to: phone("u")) && paused.permits(.update, to: phone("u")))
    let oneApp = Rollout(pausedApps: ["a.b"])
    #expect(!oneApp.permits(.update, to: phone("u")) && oneApp.permits(.update, to: phone("u", app: "c.d")))
  }

  @Test func anAppMayHaveAModeOfItsOwn() {
    var rollout = Rollout(mode: .on)
    rollout.appModes["a.b"] = .shadow
    #expect(!rollout.permits(.update, to: phone("u")) && rollout.permits(.update, to: phone("u", app: "c.d")))
  }

  @Test func aShareIsAboutThatShareAndGrowsWithoutSwapping() {
    let users = (0..<10_000).map { phone("user-\($0)") }
    let chosen = [0, 5, 50, 100].map { share in
      Set(users.indices.filter { Rollout(mode: .percent(share)).permits(.update, to: users[$0]) })
    }
    #expect(chosen[0].isEmpty && chosen[3].count == users.count)
    #expect((400...600).contains(chosen[1].count) && (4_800...5_200).contains(chosen[2].count))
    #expect(chosen[1].isSubset(of: chosen[2]))
  }
}
