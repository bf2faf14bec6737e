// Encoding members and the end of a tar archive, byte for byte as Borg's exports have them.
//
// Pax       what ustar cannot hold goes into records behind the member's own ones: path, linkpath, uname and gname
//           that are too long or not ASCII, uid, gid and size that are too large.
// Gnu       long names in members of their own, large numbers in base 256.
// Sparse    a member with GNU.sparse records: `size` is what is stored and never becomes a record (readers take it for
//           the real size), the name is mangled, and its record comes first.
// Source    docs/format (archive, section 15.1).
#pragma once

#include "base/buffer.h"
#include "tar/member.h"

namespace cairn::tar {

enum class Format { Gnu, Pax };

// Appends the header blocks; the content, filled up to whole blocks, follows.
void encode_member(const Member& member, Format format, Buffer& out);
// The same for a sparse member of the version 1.0, which is pax. `real_size` is that of the file; the map's text and
// the data follow.
void encode_sparse_member(const Member& member, std::uint64_t real_size, Buffer& out);

// Appends two blocks of zeros and fills up to whole records; `written` is the archive's size so far.
void encode_end(std::uint64_t written, Buffer& out);

}  // namespace cairn::tar
