// Room: Playground
