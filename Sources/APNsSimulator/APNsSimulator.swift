// Room: APNsSimulator
