// Which kernel of each chunker is the fastest on this machine: measured when a cutter is needed for the first time,
// then remembered in <cache dir>/cairn/kernels.
//
// The file has a line per chunker and machine: the chunker's name, the kernel, Cairn's version, the kernels that run,
// the model of the CPU. A line counts only if all of it fits, so a new version, another CPU or a damaged file is
// measured again.
//
// Errors    none: without the file, or where it cannot be written, every run measures, which takes some milliseconds.
// Source    docs/format (chunkers, section 13.12).
#pragma once

#include <string>
#include <string_view>

#include "chunk/params.h"

namespace cairn::ops {

// Makes the fastest kernel the default of make_cutter(), unless a variable or a setting has chosen one already.
void settle_kernel(chunk::Algorithm algorithm);

// The kernel that the text of such a file names for this machine; "" if it does not name one that runs.
std::string_view recorded_kernel(std::string_view text, chunk::Algorithm algorithm);
// The text with that kernel named.
std::string record_kernel(std::string_view text, chunk::Algorithm algorithm, std::string_view kernel);

}  // namespace cairn::ops
