// Which function runs which command: one line per command.
#include "cli/analyze_command.h"
#include "cli/benchmark_commands.h"
#include "cli/check_command.h"
#include "cli/compact_command.h"
#include "cli/completion_command.h"
#include "cli/context.h"
#include "cli/create_command.h"
#include "cli/debug_command.h"
#include "cli/delete_command.h"
#include "cli/diff_command.h"
#include "cli/export_tar_command.h"
#include "cli/extract_command.h"
#include "cli/find_command.h"
#include "cli/help_command.h"
#include "cli/import_tar_command.h"
#include "cli/info_command.h"
#include "cli/key_commands.h"
#include "cli/list_command.h"
#include "cli/lock_commands.h"
#include "cli/prune_command.h"
#include "cli/recreate_command.h"
#include "cli/rename_command.h"
#include "cli/repo_compress_command.h"
#include "cli/repo_create_command.h"
#include "cli/repo_delete_command.h"
#include "cli/repo_info_command.h"
#include "cli/repo_list_command.h"
#include "cli/repo_space_command.h"
#include "cli/tag_command.h"
#include "cli/transfer_command.h"
#include "cli/tune_command.h"
#include "cli/version_command.h"

namespace cairn::cli {
namespace {

constexpr RunEntry kRuns[] = {
    {&kAnalyze, run_as<AnalyzeOptions, run_analyze>},
    {&kBenchmarkCpu, run_as<BenchmarkCpuOptions, run_benchmark_cpu>},
    {&kBenchmarkCrud, run_as<BenchmarkCrudOptions, run_benchmark_crud>},
    {&kBreakLock, run_as<BreakLockOptions, run_break_lock>},
    {&kCheck, run_as<CheckOptions, run_check>},
    {&kCompact, run_as<CompactOptions, run_compact>},
    {&kCompletion, run_as<CompletionOptions, run_completion>},
    {&kCopy, run_as<CopyOptions, run_copy>},
    {&kCreate, run_as<CreateOptions, run_create>},
    {&kDebugChunk, run_as<DebugChunkOptions, run_debug_chunk>},
    {&kDebugInfo, run_as<DebugInfoOptions, run_debug_info>},
    {&kDebugDumpArchiveItems, run_as<DebugDumpArchiveItemsOptions, run_debug_dump_archive_items>},
    {&kDebugDumpArchive, run_as<DebugDumpArchiveOptions, run_debug_dump_archive>},
    {&kDebugDumpObjects, run_as<DebugDumpObjectsOptions, run_debug_dump_objects>},
    {&kDebugSearchObjects, run_as<DebugSearchObjectsOptions, run_debug_search_objects>},
    {&kDebugIdHash, run_as<DebugIdHashOptions, run_debug_id_hash>},
    {&kDebugParseObject, run_as<DebugParseObjectOptions, run_debug_parse_object>},
    {&kDebugFormatObject, run_as<DebugFormatObjectOptions, run_debug_format_object>},
    {&kDebugGetObject, run_as<DebugObjectOptions, run_debug_get_object>},
    {&kDebugPutObject, run_as<DebugObjectOptions, run_debug_put_object>},
    {&kDebugDeleteObjects, run_as<DebugDeleteObjectsOptions, run_debug_delete_objects>},
    {&kDebugConvertProfile, run_as<DebugConvertProfileOptions, run_debug_convert_profile>},
    {&kDelete, run_as<DeleteOptions, run_delete>},
    {&kDiff, run_as<DiffOptions, run_diff>},
    {&kExportTar, run_as<ExportTarOptions, run_export_tar>},
    {&kExtract, run_as<ExtractOptions, run_extract>},
    {&kFind, run_as<FindOptions, run_find>},
    {&kHelp, run_as<HelpOptions, run_help>},
    {&kImportTar, run_as<ImportTarOptions, run_import_tar>},
    {&kInfo, run_as<InfoOptions, run_info>},
    {&kKeyAdd, run_as<KeyAddOptions, run_key_add>},
    {&kKeyChangeLocation, run_as<KeyChangeLocationOptions, run_key_change_location>},
    {&kKeyChangePassphrase, run_as<KeyChangePassphraseOptions, run_key_change_passphrase>},
    {&kKeyExport, run_as<KeyExportOptions, run_key_export>},
    {&kKeyImport, run_as<KeyImportOptions, run_key_import>},
    {&kKeyList, run_as<KeyListOptions, run_key_list>},
    {&kKeyRemove, run_as<KeyRemoveOptions, run_key_remove>},
    {&kList, run_as<ListOptions, run_list>},
    {&kPrune, run_as<PruneOptions, run_prune>},
    {&kRename, run_as<RenameOptions, run_rename>},
    {&kRecreate, run_as<RecreateOptions, run_recreate>},
    {&kRepoCompress, run_as<RepoCompressOptions, run_repo_compress>},
    {&kRepoCreate, run_as<RepoCreateOptions, run_repo_create>},
    {&kRepoDelete, run_as<RepoDeleteOptions, run_repo_delete>},
    {&kRepoInfo, run_as<RepoInfoOptions, run_repo_info>},
    {&kRepoList, run_as<RepoListOptions, run_repo_list>},
    {&kRepoSpace, run_as<RepoSpaceOptions, run_repo_space>},
    {&kTag, run_as<TagOptions, run_tag>},
    {&kTune, run_as<TuneOptions, run_tune>},
    {&kTransfer, run_as<TransferOptions, run_transfer>},
    {&kUndelete, run_as<DeleteOptions, run_undelete>},
    {&kVersion, run_as<VersionOptions, run_version>},
    {&kWithLock, run_as<WithLockOptions, run_with_lock>},
};

}  // namespace

std::span<const RunEntry> run_table() { return kRuns; }

}  // namespace cairn::cli
