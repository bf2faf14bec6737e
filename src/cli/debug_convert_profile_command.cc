// debug convert-profile.
#include "cli/debug_command.h"
#include "cli/text_file.h"
#include "cli/whole_file.h"
#include "ops/python_marshal.h"

namespace cairn::cli {

Status run_debug_convert_profile(const DebugConvertProfileOptions& options, Context& /*context*/) {
  CAIRN_TRY(const Buffer input, read_whole_file(options.input));
  CAIRN_TRY(const std::string converted, ops::marshal_of_msgpack(input));
  return write_text_file(options.output, converted);
}

}  // namespace cairn::cli
