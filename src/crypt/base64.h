// Base64 with the standard alphabet, as borg keys use it. Decoding is as lenient as Borg's.
#pragma once

#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"

namespace cairn::crypt {

std::string encode_base64(Bytes bytes);  // padded, in one line
// Characters outside the alphabet are skipped; text behind complete padding is not looked at. False if the padding is
// missing or the length is impossible. Replaces `out`.
bool decode_base64(std::string_view text, Buffer& out);

}  // namespace cairn::crypt
