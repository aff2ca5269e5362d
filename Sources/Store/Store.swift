// Room: Store
