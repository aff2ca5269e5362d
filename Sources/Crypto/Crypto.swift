// Room: Crypto
