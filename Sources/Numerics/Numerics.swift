// Room: Numerics
