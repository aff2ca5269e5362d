// Room: HTTP2
