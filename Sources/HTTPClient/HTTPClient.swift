// Room: HTTPClient
