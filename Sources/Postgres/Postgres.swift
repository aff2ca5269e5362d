// Room: Postgres
