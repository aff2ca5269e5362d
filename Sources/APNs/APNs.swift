// Room: APNs
