// Writing and reading the paper form of borg keys; see the header.
#include "crypt/paper_key.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/check.h"
#include "crypt/key_blob.h"
#include "hash/sha256.h"

namespace cairn::crypt {

namespace {

constexpr std::size_t kLineBytes = 18;
constexpr std::size_t kMaxLines = 999;  // a key has about 21; the limit only bounds what is asked for
constexpr std::size_t kIdDigits = 18;
constexpr std::size_t kChecksumDigits = 12;

std::string short_sum(std::initializer_list<Bytes> pieces, std::size_t digits) {
  return hash::sha256(pieces).hex().substr(0, digits);
}

std::string line_sum(std::size_t number, Bytes line) {
  std::byte prefix[2];
  store_be(prefix, static_cast<std::uint16_t>(number));
  return short_sum({prefix, line}, 2);
}

std::string grouped(std::string_view digits) {
  std::string text;
  for (std::size_t at = 0; at < digits.size(); at += 6) {
    if (at != 0) text += ' ';
    text += digits.substr(at, 6);
  }
  return text;
}

std::string numbered(std::size_t number) {
  const std::string digits = std::to_string(number);
  return (digits.size() < 2 ? " " : "") + digits + ": ";
}

std::string without_blanks(std::string_view line) {
  std::string text;
  for (const char c : line) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    // Someone may type in capitals; only hex digits are affected.
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

// The two sides of the only separator.
std::optional<std::pair<std::string_view, std::string_view>> split_once(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos || text.find(separator, at + 1) != std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + 1));
}

std::unexpected<Error> again(std::string message) { return fail(Code::Error, std::move(message)); }

}  // namespace

Result<std::string> paper_key(std::string_view text, const RepositoryId& repository) {
  CAIRN_TRY(const Buffer body, key_blob_body(text, repository));
  const std::size_t lines = (body.size() + kLineBytes - 1) / kLineBytes;
  const std::string id = repository.hex().substr(0, kIdDigits);
  const std::string checksum = short_sum({body}, kChecksumDigits);
  const std::string id_line = std::to_string(lines) + "/" + id + "/" + checksum;
  std::string paper = "To restore key use borg key import --paper\n\nBORG PAPER KEY v1\n";
  paper += "id: " + std::to_string(lines) + " / " + grouped(id) + " / " + grouped(checksum) + " - " +
           short_sum({bytes_of(id_line)}, 2) + "\n";
  for (std::size_t number = 1; number <= lines; ++number) {
    const std::size_t at = (number - 1) * kLineBytes;
    const Bytes line = body.view(at, std::min(kLineBytes, body.size() - at));
    paper += numbered(number) + grouped(to_hex(line)) + " - " + line_sum(number, line) + "\n";
  }
  return paper;
}

std::string PaperKeyReader::prompt() const { return lines_ == 0 ? "id: " : numbered(taken_ + 1); }

Status PaperKeyReader::take_line(std::string_view line) {
  CAIRN_CHECK(!done_, "a line after the last one");
  const std::string text = without_blanks(line);
  return lines_ == 0 ? take_id_line(text) : take_body_line(text);
}

Status PaperKeyReader::take_id_line(std::string_view line) {
  const auto sides = split_once(line, '-');
  if (!sides) return again("each line must contain exactly one '-', try again");
  const auto [data, sum] = *sides;
  const std::size_t first = data.find('/');
  const auto rest = first == std::string_view::npos ? std::nullopt : split_once(data.substr(first + 1), '/');
  if (!rest) return again("the id line must contain exactly two '/', try again");
  if (short_sum({bytes_of(data)}, 2) != sum) return again("line checksum did not match, try same line again");
  const std::string_view count = data.substr(0, first);
  std::size_t lines = 0;
  const auto parsed = std::from_chars(count.data(), count.data() + count.size(), lines);
  if (parsed.ec != std::errc() || parsed.ptr != count.data() + count.size() || lines == 0 || lines > kMaxLines)
    return again("the number of lines is not possible, try again");
  if (rest->first != repository_.hex().substr(0, kIdDigits))
    return fail(Code::RepoIdMismatch, "This key backup seems to be for a different backup repository, aborting.");
  lines_ = lines;
  taken_ = 0;
  checksum_ = rest->second;
  body_.clear();
  return {};
}

Status PaperKeyReader::take_body_line(std::string_view line) {
  const auto sides = split_once(line, '-');
  if (!sides) return again("each line must contain exactly one '-', try again");
  const auto [data, sum] = *sides;
  std::byte bytes[kLineBytes];
  if (data.size() > 2 * kLineBytes || data.size() % 2 != 0) return again("the line has the wrong length, try again");
  const MutableBytes part(bytes, data.size() / 2);
  if (!from_hex(data, part)) return again("only characters 0-9 and a-f and '-' are valid, try again");
  const std::size_t number = taken_ + 1;
  if (line_sum(number, part) != sum)
    return again("line checksum did not match, try line " + std::to_string(number) + " again");
  body_.append(part);
  if (++taken_ < lines_) return {};
  if (short_sum({body_}, kChecksumDigits) != checksum_) {
    lines_ = 0;  // from the id line on
    return again("The overall checksum did not match, retry or enter a blank line to abort.");
  }
  done_ = true;
  return {};
}

std::string PaperKeyReader::text() const {
  CAIRN_CHECK(done_, "lines are missing");
  return key_blob_text(body_, repository_);
}

}  // namespace cairn::crypt
