// Room: Runtime
