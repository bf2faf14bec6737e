// The `key` commands.
#pragma once

#include "cli/context.h"
#include "cli/key_options.h"

namespace cairn::cli {

Status run_key_list(const KeyListOptions& options, Context& context);
Status run_key_add(const KeyAddOptions& options, Context& context);
Status run_key_remove(const KeyRemoveOptions& options, Context& context);
Status run_key_change_passphrase(const KeyChangePassphraseOptions& options, Context& context);
Status run_key_change_location(const KeyChangeLocationOptions& options, Context& context);
// These two need neither key nor lock (key_backup_commands.cc).
Status run_key_export(const KeyExportOptions& options, Context& context);
Status run_key_import(const KeyImportOptions& options, Context& context);

}  // namespace cairn::cli
