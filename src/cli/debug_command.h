// The `debug` commands.
#pragma once

#include "cli/context.h"
#include "cli/debug_options.h"

namespace cairn::cli {

Status run_debug_chunk(const DebugChunkOptions& options, Context& context);
Status run_debug_info(const DebugInfoOptions& options, Context& context);
// debug_archive_commands.cc
Status run_debug_dump_archive_items(const DebugDumpArchiveItemsOptions& options, Context& context);
Status run_debug_dump_archive(const DebugDumpArchiveOptions& options, Context& context);
// debug_object_commands.cc
Status run_debug_dump_objects(const DebugDumpObjectsOptions& options, Context& context);
Status run_debug_search_objects(const DebugSearchObjectsOptions& options, Context& context);
Status run_debug_id_hash(const DebugIdHashOptions& options, Context& context);
Status run_debug_parse_object(const DebugParseObjectOptions& options, Context& context);
Status run_debug_format_object(const DebugFormatObjectOptions& options, Context& context);
Status run_debug_get_object(const DebugObjectOptions& options, Context& context);
Status run_debug_put_object(const DebugObjectOptions& options, Context& context);
Status run_debug_delete_objects(const DebugDeleteObjectsOptions& options, Context& context);
// debug_convert_profile_command.cc
Status run_debug_convert_profile(const DebugConvertProfileOptions& options, Context& context);

}  // namespace cairn::cli
