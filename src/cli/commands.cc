#include "cli/commands.h"

#include <array>

#include "cli/analyze_options.h"
#include "cli/benchmark_options.h"
#include "cli/check_options.h"
#include "cli/compact_options.h"
#include "cli/completion_options.h"
#include "cli/create_options.h"
#include "cli/debug_options.h"
#include "cli/delete_options.h"
#include "cli/diff_options.h"
#include "cli/export_tar_options.h"
#include "cli/extract_options.h"
#include "cli/find_options.h"
#include "cli/help_options.h"
#include "cli/import_tar_options.h"
#include "cli/info_options.h"
#include "cli/key_options.h"
#include "cli/list_options.h"
#include "cli/lock_options.h"
#include "cli/prune_options.h"
#include "cli/recreate_options.h"
#include "cli/rename_options.h"
#include "cli/repo_compress_options.h"
#include "cli/repo_create_options.h"
#include "cli/repo_delete_options.h"
#include "cli/repo_info_options.h"
#include "cli/repo_list_options.h"
#include "cli/repo_space_options.h"
#include "cli/tag_options.h"
#include "cli/transfer_options.h"
#include "cli/tune_options.h"
#include "cli/version_options.h"

namespace cairn::cli {
namespace {

constexpr Command not_yet(const char* name) {
  return {
      .name = name, .summary = "", .description = "", .sets = {}, .positionals = {}, .make = nullptr, .built = false};
}

constexpr Command kMount = not_yet("mount"), kUmount = not_yet("umount"), kServe = not_yet("serve"),
                  kWebdav = not_yet("webdav");

constinit const std::array kCommands = {
    &kAnalyze,
    &kBenchmarkCrud,
    &kBenchmarkCpu,
    &kCheck,
    &kCompact,
    &kCompletion,
    &kCopy,
    &kCreate,
    &kDebugInfo,
    &kDebugDumpArchiveItems,
    &kDebugDumpArchive,
    &kDebugDumpObjects,
    &kDebugSearchObjects,
    &kDebugIdHash,
    &kDebugParseObject,
    &kDebugFormatObject,
    &kDebugGetObject,
    &kDebugPutObject,
    &kDebugDeleteObjects,
    &kDebugConvertProfile,
    &kDebugChunk,
    &kDelete,
    &kDiff,
    &kExtract,
    &kFind,
    &kHelp,
    &kInfo,
    &kKeyExport,
    &kKeyImport,
    &kKeyChangePassphrase,
    &kKeyAdd,
    &kKeyRemove,
    &kKeyList,
    &kKeyChangeLocation,
    &kList,
    &kBreakLock,
    &kWithLock,
    &kMount,
    &kUmount,
    &kPrune,
    &kRepoCompress,
    &kRepoCreate,
    &kRepoDelete,
    &kRepoInfo,
    &kRepoList,
    &kRecreate,
    &kRename,
    &kRepoSpace,
    &kServe,
    &kTag,
    &kExportTar,
    &kImportTar,
    &kTransfer,
    &kUndelete,
    &kVersion,
    &kWebdav,
    &kTune,
};

constexpr Group kGroups[] = {{"benchmark", "measure this machine, or a repository"},
                             {"debug", "look at what happens inside"},
                             {"key", "manage the keys of a repository"}};

// Borg's order, which its messages show.
constexpr std::string_view kWords[] = {
    "analyze",    "benchmark", "check",    "compact", "completion", "copy",          "create",      "debug",
    "delete",     "diff",      "extract",  "find",    "help",       "info",          "key",         "list",
    "break-lock", "with-lock", "mount",    "umount",  "prune",      "repo-compress", "repo-create", "repo-delete",
    "repo-info",  "repo-list", "recreate", "rename",  "repo-space", "serve",         "tag",         "export-tar",
    "import-tar", "transfer",  "undelete", "version", "webdav"};
constexpr std::string_view kOwnWords[] = {"tune"};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }
std::span<const Group> groups() { return kGroups; }
std::span<const std::string_view> command_words() { return kWords; }
std::span<const std::string_view> own_words() { return kOwnWords; }

const Command* find_command(std::string_view name) {
  for (const Command* command : kCommands)
    if (name == command->name) return command;
  return nullptr;
}

const Group* find_group(std::string_view name) {
  for (const Group& group : kGroups)
    if (name == group.name) return &group;
  return nullptr;
}

}  // namespace cairn::cli
