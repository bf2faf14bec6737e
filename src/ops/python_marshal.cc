#include "ops/python_marshal.h"

#include <bit>

#include "msgpack/reader.h"

namespace cairn::ops {
namespace {

class Marshal {
 public:
  explicit Marshal(Bytes input) : reader_(input) {}

  Result<std::string> run() {
    CAIRN_CHECKED(value(0));
    if (!reader_.at_end()) return fail(Code::Integrity, "unpack(b) received extra data.");
    return std::move(out_);
  }

 private:
  Status value(std::size_t depth) {
    if (depth > msgpack::Reader::kMaxDepth) return fail(Code::Integrity, "values are nested too deeply");
    CAIRN_TRY(const msgpack::Type type, reader_.peek());
    switch (type) {
      case msgpack::Type::Nil:
        out_ += 'N';
        return reader_.nil();
      case msgpack::Type::Boolean: {
        CAIRN_TRY(const bool truth, reader_.boolean());
        out_ += truth ? 'T' : 'F';
        return {};
      }
      case msgpack::Type::Integer:
        return integer();
      case msgpack::Type::Float:
        return real();
      case msgpack::Type::Str: {
        CAIRN_TRY(const std::string_view text, reader_.str());
        sized('u', text);
        return {};
      }
      case msgpack::Type::Bin: {
        CAIRN_TRY(const Bytes bytes, reader_.bin());
        sized('s', text_of(bytes));
        return {};
      }
      case msgpack::Type::Array: {
        CAIRN_TRY(const std::size_t count, reader_.array());
        out_ += '(';
        little(count, 4);
        for (std::size_t i = 0; i < count; ++i) CAIRN_CHECKED(value(depth + 1));
        return {};
      }
      case msgpack::Type::Map: {
        CAIRN_TRY(const std::size_t count, reader_.map());
        out_ += '{';
        for (std::size_t i = 0; i < 2 * count; ++i) CAIRN_CHECKED(value(depth + 1));
        out_ += '0';
        return {};
      }
      default:
        return fail(Code::Integrity, "a value that Python's marshal format does not have");
    }
  }

  void little(std::uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) out_ += static_cast<char>(number >> (8 * i) & 0xffU);
  }

  void sized(char kind, std::string_view bytes) {
    out_ += kind;
    little(bytes.size(), 4);
    out_ += bytes;
  }

  Status integer() {
    CAIRN_TRY(const std::int64_t number, reader_.integer());
    if (number >= INT32_MIN && number <= INT32_MAX) {
      out_ += 'i';
      little(static_cast<std::uint64_t>(number), 4);
      return {};
    }
    // Digits of 15 bits; the sign is that of their count.
    std::uint64_t rest = number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number);
    std::string digits;
    std::int64_t count = 0;
    for (; rest != 0; rest >>= 15U, ++count) {
      digits += static_cast<char>(rest & 0xffU);
      digits += static_cast<char>(rest >> 8U & 0x7fU);
    }
    out_ += 'l';
    little(static_cast<std::uint64_t>(number < 0 ? -count : count), 4);
    out_ += digits;
    return {};
  }

  Status real() {
    CAIRN_TRY(const Bytes raw, reader_.raw());
    std::uint64_t bits = 0;
    for (const std::byte byte : raw.subspan(1)) bits = bits << 8U | std::to_integer<std::uint64_t>(byte);
    if (raw.size() == 5)
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    out_ += 'g';
    little(bits, 8);
    return {};
  }

  msgpack::Reader reader_;
  std::string out_;
};

}  // namespace

Result<std::string> marshal_of_msgpack(Bytes profile) { return Marshal(profile).run(); }

}  // namespace cairn::ops
