/// Real parts for tests, started once per test process and gone with it.
public enum TestFixtures {}
