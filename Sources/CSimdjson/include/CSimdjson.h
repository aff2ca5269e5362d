/* simdjson's DOM behind plain C: one call parses and validates a whole document, then Swift walks the tape.
   The tape is described in simdjson's doc/tape.md: one 64-bit word an element, its type in the top byte. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct csimdjson_parser csimdjson_parser;

/* Closed list; the numbers are fixed here and mirrored by `JSONError` in Swift. */
typedef enum {
  CSIMDJSON_OK = 0,
  CSIMDJSON_EMPTY = 1,          /* nothing but white space */
  CSIMDJSON_BYTE_ORDER_MARK = 2,
  CSIMDJSON_NOT_UTF8 = 3,
  CSIMDJSON_SYNTAX = 4,
  CSIMDJSON_BAD_STRING = 5,     /* bad escape, raw control character or missing quote */
  CSIMDJSON_BAD_NUMBER = 6,     /* not a JSON number, or none that 64 bits can hold */
  CSIMDJSON_TOO_DEEP = 7,
  CSIMDJSON_TOO_LARGE = 8,
  CSIMDJSON_DUPLICATE_KEY = 9,
  CSIMDJSON_LONE_SURROGATE = 10,
  CSIMDJSON_NO_MEMORY = 11
} csimdjson_error;

/* A parser for this thread: the thread's own one, or a new one while that is in use. NULL when out of memory. */
csimdjson_parser *csimdjson_acquire(void);
void csimdjson_release(csimdjson_parser *parser);

/* Parses `length` bytes. The tape and the strings stay valid until the parser is released. */
csimdjson_error csimdjson_parse(csimdjson_parser *parser, const uint8_t *bytes, size_t length, size_t depth_max);
const uint64_t *csimdjson_tape(const csimdjson_parser *parser);
const uint8_t *csimdjson_strings(const csimdjson_parser *parser);

/* Name of the instruction set that was chosen at run time, such as `icelake`. */
const char *csimdjson_implementation(void);

#ifdef __cplusplus
}
#endif
