/// Real parts for tests: each started once per test process, and gone with it.
public enum TestFixtures {}
