// Room: Simulation
