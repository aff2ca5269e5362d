// Room: Documents
