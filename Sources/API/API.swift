// Room: API
