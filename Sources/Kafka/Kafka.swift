// Room: Kafka
