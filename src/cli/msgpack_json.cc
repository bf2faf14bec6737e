#include "cli/msgpack_json.h"

#include <bit>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

class Writer {
 public:
  Writer(std::string& out, msgpack::Reader& reader, JsonLayout layout) : out_(out), reader_(reader), layout_(layout) {}

  Status value(std::size_t level, std::size_t depth) {
    if (depth > msgpack::Reader::kMaxDepth) return fail(Code::Integrity, "values are nested too deeply");
    CAIRN_TRY(const msgpack::Type type, reader_.peek());
    switch (type) {
      case msgpack::Type::Array: {
        CAIRN_TRY(const std::size_t count, reader_.array());
        return list('[', ']', count, level, [&]() -> Status { return value(level + 1, depth + 1); });
      }
      case msgpack::Type::Map: {
        CAIRN_TRY(const std::size_t count, reader_.map());
        return list('{', '}', count, level, [&]() -> Status {
          CAIRN_CHECKED(key());
          out_ += ": ";
          return value(level + 1, depth + 1);
        });
      }
      default:
        return scalar(type);
    }
  }

 private:
  template <class One>
  Status list(char open, char close, std::size_t count, std::size_t level, One one) {
    out_ += open;
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += layout_ == JsonLayout::Indented ? "," : ", ";
      new_line(level + 1);
      CAIRN_CHECKED(one());
    }
    if (count > 0) new_line(level);
    out_ += close;
    return {};
  }

  void new_line(std::size_t level) {
    if (layout_ == JsonLayout::OneLine) return;
    out_ += '\n';
    out_.append(4 * level, ' ');
  }

  // Keys of other kinds become texts.
  Status key() {
    CAIRN_TRY(const msgpack::Type type, reader_.peek());
    if (type == msgpack::Type::Str || type == msgpack::Type::Bin) return scalar(type);
    if (type == msgpack::Type::Array || type == msgpack::Type::Map) {
      return fail(Code::Integrity, "a list or a map as a key");
    }
    out_ += '"';
    CAIRN_CHECKED(scalar(type));
    out_ += '"';
    return {};
  }

  Status scalar(msgpack::Type type) {
    switch (type) {
      case msgpack::Type::Nil:
        out_ += "null";
        return reader_.nil();
      case msgpack::Type::Boolean: {
        CAIRN_TRY(const bool truth, reader_.boolean());
        out_ += truth ? "true" : "false";
        return {};
      }
      case msgpack::Type::Integer:
        return integer();
      case msgpack::Type::Float:
        return real();
      case msgpack::Type::Str: {
        CAIRN_TRY(const std::string_view text, reader_.str());
        append_json_string(out_, text);
        return {};
      }
      case msgpack::Type::Bin: {
        CAIRN_TRY(const Bytes bytes, reader_.bin());
        const std::string_view text = text_of(bytes);
        const bool plain = is_utf8(text) && !text.starts_with('\x7f');
        append_json_string(out_, plain ? std::string(text) : '\x7f' + to_hex(bytes));
        return {};
      }
      case msgpack::Type::Timestamp: {
        CAIRN_TRY(const std::int64_t time, reader_.timestamp());
        out_ += fmt::format("{}", time);
        return {};
      }
      default:
        return fail(Code::Integrity, "a value of an unknown kind");
    }
  }

  Status integer() {
    msgpack::Reader ahead = reader_;
    if (const auto number = ahead.integer()) {
      out_ += fmt::format("{}", *number);
      reader_ = ahead;
      return {};
    }
    CAIRN_TRY(const std::uint64_t large, reader_.uinteger());
    out_ += fmt::format("{}", large);
    return {};
  }

  Status real() {
    CAIRN_TRY(const Bytes raw, reader_.raw());
    std::uint64_t bits = 0;
    for (const std::byte byte : raw.subspan(1)) bits = bits << 8U | std::to_integer<std::uint64_t>(byte);
    out_ += json_number(raw.size() == 5 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                        : std::bit_cast<double>(bits));
    return {};
  }

  std::string& out_;
  msgpack::Reader& reader_;
  const JsonLayout layout_;
};

}  // namespace

Status append_msgpack_json(std::string& out, msgpack::Reader& reader, JsonLayout layout, std::size_t level) {
  return Writer(out, reader, layout).value(level, 0);
}

}  // namespace cairn::cli
