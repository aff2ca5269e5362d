// Room: Observability
