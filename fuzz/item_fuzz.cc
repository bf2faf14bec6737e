// Feeds the input to the item decoder, in two pieces cut where the first byte says, and searches on after damage.
// Every item that was read must come back from its own encoding.
#include <cstdint>
#include <cstdlib>

#include "archive/item_stream.h"

using cairn::Bytes;
using cairn::Status;
using cairn::archive::Item;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

Status check_item(Item&& item) {
  cairn::Buffer once;
  encode(item, once);
  Item again;
  const auto decoded = decode(once, again);
  require(decoded.has_value() && !decoded->incomplete && decoded->used == once.size());
  cairn::Buffer twice;
  encode(again, twice);
  require(cairn::text_of(once) == cairn::text_of(twice));
  (void)cairn::archive::safe_path(item.path);
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes all = std::as_bytes(std::span(data + 1, size - 1));
  const std::size_t cut = all.size() * data[0] / 256;
  cairn::archive::ItemDecoder decoder;
  for (const Bytes piece : {all.first(cut), all.subspan(cut)}) {
    for (Bytes next = piece; !decoder.feed(next, check_item); next = {}) decoder.resynchronize();
  }
  (void)decoder.finish();
  (void)cairn::archive::decode_pointers(all);
  return 0;
}
