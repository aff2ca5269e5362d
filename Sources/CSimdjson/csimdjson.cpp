#include "CSimdjson.h"
#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

using simdjson::error_code;

namespace {
/* A parser that has grown beyond this many bytes of input gives its memory back when it is released. */
constexpr size_t kept_capacity_bytes = 256 * 1024;
/* Objects up to this size are searched for equal keys pair by pair, larger ones by sorting. */
constexpr size_t pairwise_keys_max = 16;
}  // namespace

struct csimdjson_parser {
  simdjson::dom::parser dom;
  std::vector<std::string_view> keys;
  bool owned_by_thread = false;
  bool in_use = false;
};

namespace {

csimdjson_error translate(error_code code) {
  switch (code) {
    case simdjson::SUCCESS: return CSIMDJSON_OK;
    case simdjson::EMPTY: return CSIMDJSON_EMPTY;
    case simdjson::UTF8_ERROR: return CSIMDJSON_NOT_UTF8;
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return CSIMDJSON_BAD_STRING;
    case simdjson::NUMBER_ERROR:
    case simdjson::NUMBER_OUT_OF_RANGE: return CSIMDJSON_BAD_NUMBER;
    case simdjson::DEPTH_ERROR: return CSIMDJSON_TOO_DEEP;
    case simdjson::CAPACITY: return CSIMDJSON_TOO_LARGE;
    case simdjson::MEMALLOC: return CSIMDJSON_NO_MEMORY;
    default: return CSIMDJSON_SYNTAX;
  }
}

struct walker {
  const uint64_t *tape;
  const uint8_t *strings;
  std::vector<std::string_view> &keys;

  char type(size_t at) const { return char(tape[at] >> 56); }
  uint64_t payload(size_t at) const { return tape[at] & 0x00ffffffffffffffULL; }

  std::string_view string(size_t at) const {
    const uint8_t *start = strings + payload(at);
    uint32_t length;
    std::memcpy(&length, start, sizeof length);
    return {reinterpret_cast<const char *>(start + sizeof length), length};
  }

  size_t after(size_t at) const {
    switch (type(at)) {
      case '{':
      case '[': return uint32_t(payload(at));
      case 'l':
      case 'u':
      case 'd': return at + 2;
      default: return at + 1;
    }
  }

  bool has_equal_keys(size_t object) {
    keys.clear();
    size_t end = after(object) - 1;
    for (size_t at = object + 1; at < end; at = after(at + 1)) keys.push_back(string(at));
    if (keys.size() > pairwise_keys_max) {
      std::sort(keys.begin(), keys.end());
      return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
    }
    for (size_t i = 1; i < keys.size(); i++)
      for (size_t j = 0; j < i; j++)
        if (keys[i] == keys[j]) return true;
    return false;
  }

  /* simdjson turns an unpaired surrogate escape into the three bytes ED A0..BF xx, which are not UTF-8. */
  bool has_lone_surrogate(size_t at) const {
    std::string_view text = string(at);
    const char *next = text.data(), *end = text.data() + text.size();
    while ((next = static_cast<const char *>(std::memchr(next, 0xed, size_t(end - next))))) {
      if (end - next >= 2 && uint8_t(next[1]) >= 0xa0) return true;
      next++;
    }
    return false;
  }

  csimdjson_error check(bool has_escapes) {
    size_t end = uint32_t(payload(0)) - 1;
    for (size_t at = 1; at < end;) {
      char kind = type(at);
      if (kind == '{' && has_equal_keys(at)) return CSIMDJSON_DUPLICATE_KEY;
      if (kind == '"' && has_escapes && has_lone_surrogate(at)) return CSIMDJSON_LONE_SURROGATE;
      at += (kind == 'l' || kind == 'u' || kind == 'd') ? 2 : 1;
    }
    return CSIMDJSON_OK;
  }
};

}  // namespace

extern "C" csimdjson_parser *csimdjson_acquire(void) {
  static thread_local std::unique_ptr<csimdjson_parser> own;
  if (!own) {
    own.reset(new (std::nothrow) csimdjson_parser());
    if (!own) return nullptr;
    own->owned_by_thread = true;
  }
  csimdjson_parser *parser = own->in_use ? new (std::nothrow) csimdjson_parser() : own.get();
  if (parser) parser->in_use = true;
  return parser;
}

extern "C" void csimdjson_release(csimdjson_parser *parser) {
  if (!parser->owned_by_thread) {
    delete parser;
    return;
  }
  if (parser->dom.capacity() > kept_capacity_bytes) {
    parser->dom = simdjson::dom::parser();
    parser->keys = {};
  }
  parser->in_use = false;
}

extern "C" csimdjson_error csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t length, size_t depth_max) {
  if (length == 0) return CSIMDJSON_EMPTY;
  if (length >= 3 && std::memcmp(bytes, "\xef\xbb\xbf", 3) == 0) return CSIMDJSON_BYTE_ORDER_MARK;
  if (length > simdjson::SIMDJSON_MAXSIZE_BYTES) return CSIMDJSON_TOO_LARGE;
  if (parser->dom.capacity() < length || parser->dom.max_depth() != depth_max) {
    size_t capacity = std::max<size_t>(4096, length + length / 2);
    if (auto code = parser->dom.allocate(capacity, depth_max)) return translate(code);
  }
  if (auto code = parser->dom.parse(bytes, length).error()) return translate(code);
  walker document{parser->dom.doc.tape.get(), parser->dom.doc.string_buf.get(), parser->keys};
  return document.check(std::memchr(bytes, '\\', length) != nullptr);
}

extern "C" const uint64_t *csimdjson_tape(const csimdjson_parser *parser) { return parser->dom.doc.tape.get(); }

extern "C" const uint8_t *csimdjson_strings(const csimdjson_parser *parser) {
  return parser->dom.doc.string_buf.get();
}

extern "C" const char *csimdjson_implementation(void) {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name.c_str();
}
