// Room: Codecs
