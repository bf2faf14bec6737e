// Reads the input by each of the reader's calls, chosen by what comes next and by the input's first byte.
#include <cstdint>
#include <cstdlib>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

using cairn::Bytes;
using cairn::msgpack::Reader;
using cairn::msgpack::Type;

namespace {

// A value that was read must come back unchanged from its own smallest form.
void require(bool condition) {
  if (!condition) std::abort();
}

bool read_one(Reader& reader) {
  const auto type = reader.peek();
  if (!type) return false;
  cairn::Buffer again;
  cairn::msgpack::Writer writer(again);
  switch (*type) {
    case Type::Nil:
      return reader.nil().has_value();
    case Type::Boolean:
      return reader.boolean().has_value();
    case Type::Integer: {
      Reader copy = reader;
      if (const auto value = reader.integer()) {
        writer.integer(*value);
        require(Reader(again).integer().value() == *value);
        require(copy.uinteger().has_value() == (*value >= 0));
        return true;
      }
      reader = copy;
      return reader.uinteger().has_value();
    }
    case Type::Str:
    case Type::Bin: {
      const auto value = reader.text_or_bin();
      if (!value) return false;
      writer.str(*value);
      require(Reader(again).str().value() == *value);
      return true;
    }
    case Type::Array:
      return reader.array().has_value();
    case Type::Map:
      return reader.map().has_value();
    case Type::Timestamp: {
      const auto value = reader.timestamp();
      if (!value) return false;
      writer.timestamp(*value);
      require(Reader(again).timestamp().value() == *value);
      return true;
    }
    default:
      return reader.skip().has_value();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes input = std::as_bytes(std::span(data, size)).subspan(1);
  Reader reader(input);
  if (data[0] & 1) {
    while (!reader.at_end() && reader.raw()) {
    }
  } else {
    while (!reader.at_end() && read_one(reader)) {
    }
  }
  require(reader.position() <= input.size());
  return 0;
}
