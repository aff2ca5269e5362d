// Room: TestFixtures
