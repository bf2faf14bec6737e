// Repository locations: what is accepted has the promised shape and reads back as itself.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "store/faulty.h"
#include "store/location.h"
#include "store/store.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using cairn::store::LocationKind;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)cairn::store::parse_fault(text);
  if (cairn::store::check_object_name(text)) require(cairn::store::unnested(cairn::store::nested(text)) == text);

  const auto location = cairn::store::parse_location(text, "/cwd");
  if (!location) {
    require(location.error().code() == cairn::Code::Usage);
    return 0;
  }
  if (location->kind == LocationKind::Local) {
    require(location->path.starts_with('/') && location->path.find("//") == std::string::npos);
    require(cairn::store::parse_location(location->path, "/cwd")->path == location->path);
  }
  if (location->kind == LocationKind::Ssh) {
    const auto again = cairn::store::parse_location(location->canonical, "/cwd");
    require(again && again->canonical == location->canonical && again->path == location->path);
    require(!location->host.empty() && !location->host.starts_with('-'));
  }
  return 0;
}
