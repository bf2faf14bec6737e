#include "archive/placeholders.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "archive/format.h"
#include "archive/local_time.h"
#include "archive/time.h"
#include "base/host.h"

namespace cairn::archive {
namespace {

constexpr int kMaxNesting = 2;  // of fields in specifications, as in Python
constexpr const char* kDefaultTimeFormat = "%Y-%m-%dT%H:%M:%S";

std::string random_uuid() {
  std::random_device device;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = device();
  words[1] = (words[1] & 0xffff0fffU) | 0x4000U;      // version 4: random
  words[2] = (words[2] & 0x3fffffffU) | 0x80000000U;  // the variant of RFC 9562
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xffffU,
                     words[2] >> 16, words[2] & 0xffffU, words[3]);
}

// "host.example.org" becomes "org.example.host".
std::string reversed_labels(const std::string& name) {
  std::string out;
  for (std::size_t end = name.size(); end != std::string::npos;) {
    const std::size_t dot = end == 0 ? std::string::npos : name.rfind('.', end - 1);
    const std::size_t start = dot == std::string::npos ? 0 : dot + 1;
    out += (out.empty() ? "" : ".") + name.substr(start, end - start);
    end = dot;
  }
  return out;
}

// "2.0.0" of "2.0.0b25": the leading numbers, at most `parts` of them.
std::string version_parts(int parts) {
  std::string out;
  for (const char c : kSpokenBorgVersion) {
    if (c == '.' && --parts == 0) break;
    if (c != '.' && (c < '0' || c > '9')) break;
    out += c;
  }
  return out;
}

std::optional<FormatValue> value_of(std::string_view name, const PlaceholderContext& context) {
  if (name == "hostname") return hostname();
  if (name == "fqdn") return fqdn();
  if (name == "reverse-fqdn") return reversed_labels(fqdn());
  if (name == "user") return username();
  if (name == "pid") return std::int64_t{::getpid()};
  if (name == "unixtime") return split(context.now).seconds;
  if (name == "uuid4") return random_uuid();
  if (name == "borgversion") return kSpokenBorgVersion;
  if (name == "borgmajor") return version_parts(1);
  if (name == "borgminor") return version_parts(2);
  if (name == "borgpatch") return version_parts(3);
  return std::nullopt;
}

Result<std::string> replace(std::string_view text, std::string_view whole, const PlaceholderContext& context,
                            int depth) {
  const auto broken = [&](std::string_view reason) {
    return fail(Code::Placeholder, fmt::format("Formatting Error: \"{}\".format(...): ValueError({})", whole, reason));
  };
  if (depth > kMaxNesting) return broken("Max string recursion exceeded");
  auto fields = split_format(text);
  if (!fields) return broken(fields.error().message());
  std::string out;
  for (const FormatField& field : *fields) {
    out += field.literal;
    if (!field.has_field) continue;
    if (field.name.empty()) return broken("Format string contains positional fields");
    const bool is_time = field.name == "now" || field.name == "utcnow";
    const std::optional<FormatValue> value = is_time ? std::nullopt : value_of(field.name, context);
    if ((!is_time && !value) || field.conversion != '\0') {
      return fail(Code::InvalidPlaceholder, fmt::format("Invalid placeholder \"{}\" in string: {}", field.name, whole));
    }
    CAIRN_TRY(const std::string spec, replace(field.spec, whole, context, depth + 1));
    if (is_time) {
      const std::string format = spec.empty() ? kDefaultTimeFormat : spec;
      out += field.name == "now" ? strftime_local(context.now, format) : strftime_utc(context.now, format);
      continue;
    }
    if (const Status status = format_value(*value, spec, '\0', out); !status) return broken(status.error().message());
  }
  return out;
}

}  // namespace

Result<std::string> replace_placeholders(std::string_view text, const PlaceholderContext& context) {
  return replace(text, text, context, 0);
}

}  // namespace cairn::archive
