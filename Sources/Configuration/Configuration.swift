// Room: Configuration
