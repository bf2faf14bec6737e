// The chunkers' option string: whatever is accepted can be built (or is honestly not there yet), and its recorded form
// parses to the same parameters.
#include <cstdint>

#include "base/check.h"
#include "chunk/cutter.h"

using namespace cairn;  // NOLINT: one small program

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(std::as_bytes(std::span(data, size)));
  const Result<chunk::Params> params = chunk::parse_params(text);
  if (!params) {
    CAIRN_CHECK(params.error().code() == Code::Usage && !params.error().message().empty(), "a refusal says why");
    return 0;
  }
  CAIRN_CHECK(chunk::check_params(*params).has_value(), "accepted parameters are within the limits");
  const Result<chunk::Params> again = chunk::parse_params(params->text());
  // A fail map with blanks at its end does not survive; nobody stores one.
  if (params->algorithm != chunk::Algorithm::Fail) {
    CAIRN_CHECK(again.has_value() && *again == *params, "the recorded form means the same");
  }
  const Result<std::unique_ptr<chunk::Cutter>> cutter = chunk::make_cutter(*params, {});
  if (cutter) {
    CAIRN_CHECK((*cutter)->max_chunk() == params->max_chunk(), "one largest chunk");
  } else {
    CAIRN_CHECK(cutter.error().code() == Code::Unsupported, "only what is not there yet is refused here");
  }
  return 0;
}
