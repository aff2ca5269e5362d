// Room: HTTPServer
