#pragma once
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/* rd_kafka_producev takes variable arguments, which Swift cannot pass. Takes the headers over on success. */
static inline rd_kafka_resp_err_t crdkafka_produce(
    rd_kafka_t *client, const char *topic, int32_t partition, const void *key, size_t key_length, const void *value,
    size_t value_length, int64_t timestamp_milliseconds, rd_kafka_headers_t *headers) {
  return rd_kafka_producev(
      client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
      RD_KAFKA_V_KEY(key, key_length), RD_KAFKA_V_VALUE((void *)value, value_length),
      RD_KAFKA_V_TIMESTAMP(timestamp_milliseconds), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
}
