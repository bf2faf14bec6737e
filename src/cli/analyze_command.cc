#include "cli/analyze_command.h"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/time.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/display_text.h"
#include "cli/json_output.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/analyze.h"
#include "ops/archives.h"
#include "ops/hot_spots.h"

namespace cairn::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kLogger = "borg.archiver.analyze_cmd";
constexpr std::size_t kSetLabel = 26, kGroupLabel = 30;  // columns of the two reports

constexpr std::string_view kLegend =
    "source       = data of files, each chunk counted once\n"
    "stored       = the same in the repository, with metadata\n"
    "compression  = stored / source\n";
constexpr std::string_view kUnreferencedLegend =
    "unreferenced = used by no archive, deleted ones included; compact frees it. What it was\n"
    "               before compression is not known.\n";

json sizes_json(const ops::Sizes& sizes) { return {{"source_size", sizes.source}, {"stored_size", sizes.stored}}; }

class Report {
 public:
  explicit Report(Context& context) : context_(context) {}
  void line(std::string_view text = {}) { context_.output.write(context_.output.out_text(text) + "\n"); }
  void heading(std::string_view text, std::size_t width) {
    line();
    line(text);
    line(std::string(width, '='));
  }
  // "  <source>  <stored>  <compression>", right-aligned columns
  std::string columns(const std::optional<std::uint64_t>& source, std::uint64_t stored) const {
    const bool known = source && *source > 0;
    return fmt::format(
        "{:>14}{:>14}{:>13}", source ? size(*source) : "n/a", size(stored),
        known ? fmt::format("{:.2f}", static_cast<double>(stored) / static_cast<double>(*source)) : "n/a");
  }
  void unreferenced(const ops::GroupSizes& sizes) {
    line();
    line(fmt::format("Unreferenced: {} of {} chunks in the repository index.", sizes.unreferenced_chunks,
                     sizes.total_chunks));
    if (sizes.missing_chunks > 0) {
      line(fmt::format("Missing: {} chunks that archives need. Run \"borg check\".", sizes.missing_chunks));
    }
    line();
  }

 private:
  std::string size(std::uint64_t bytes) const {
    return format_size(static_cast<std::int64_t>(bytes), {.units = context_.units});
  }
  Context& context_;
};

// Everything that both kinds of analysis need.
struct Subject {
  Session& session;
  Context& context;
  const std::vector<archive::ArchiveSummary>& archives;  // all of the repository
};

Result<ops::GroupSizes> measure(const Subject& subject, const std::vector<std::uint32_t>& groups,
                                std::uint32_t group_count) {
  PercentProgress percent(subject.context.progress, kReferencedChunksPercent, subject.archives.size());
  auto sizes = ops::analyze(
      *subject.session.repository, *subject.session.pool, subject.archives, groups, group_count,
      [&] { percent.advance(); }, interrupted());
  percent.finish();
  return sizes;
}

// ---- one set of archives

Result<std::vector<ops::HotSpots::Spot>> find_hot_spots(const Subject& subject,
                                                        const std::vector<archive::ArchiveSummary>& chosen) {
  ops::HotSpots spots;
  PercentProgress percent(subject.context.progress, kAnalyzeArchivesPercent, chosen.size());
  std::size_t number = 0;
  for (const archive::ArchiveSummary& archive : chosen) {
    percent.advance();
    log(Level::Info, kLogger,
        fmt::format("Analyzing archive {} {} {} ({}/{})", archive.name, archive::plain_local(archive.time),
                    archive.id.hex(), ++number, chosen.size()));
    CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*subject.session.repository, archive.id));
    CAIRN_CHECKED(spots.add(*subject.session.repository, *subject.session.pool, metadata, &interrupted()));
  }
  percent.finish();
  return spots.result();
}

json set_json(const ops::GroupSizes& sizes, std::size_t considered, std::size_t total, bool whole_repository) {
  json object = {{"considered_archives", considered},    {"total_archives", total},
                 {"whole_repository", whole_repository}, {"deduplicated", sizes_json(sizes.first_group)},
                 {"total_chunks", sizes.total_chunks},   {"missing_chunks", sizes.missing_chunks}};
  if (!whole_repository) object["exclusive"] = sizes_json(sizes.exclusive[0]);
  object["unreferenced"] = {{"stored_size", sizes.unreferenced_stored}, {"chunks", sizes.unreferenced_chunks}};
  return object;
}

void report_set(Report report, const ops::GroupSizes& sizes, std::size_t considered, std::size_t total,
                bool whole_repository) {
  constexpr std::size_t kWidth = 67;
  const auto row = [&](std::string_view label, const std::optional<std::uint64_t>& source, std::uint64_t stored) {
    report.line(fmt::format("{:<{}}{}", label, kSetLabel, report.columns(source, stored)));
  };
  if (whole_repository) {
    report.heading("Deduplicated size of the whole repository", kWidth);
    report.line(fmt::format("Archives: {} (all archives in the repository)", total));
  } else {
    report.heading(fmt::format("Deduplicated size of the {} considered archive(s)", considered), kWidth);
    report.line(fmt::format("Considered archives: {} (of {} in the repository)", considered, total));
  }
  report.line();
  report.line(fmt::format("{:<{}}{:>14}{:>14}{:>13}", "", kSetLabel, "source", "stored", "compression"));
  row(whole_repository ? "Deduplicated size:" : "Deduplicated size of set:", sizes.first_group.source,
      sizes.first_group.stored);
  if (!whole_repository) row("Exclusive size of set:", sizes.exclusive[0].source, sizes.exclusive[0].stored);
  row("Unreferenced chunks:", std::nullopt, sizes.unreferenced_stored);
  report.unreferenced(sizes);
  std::string legend(kLegend);
  if (!whole_repository) legend += "exclusive    = used by these archives only; deleting all of them frees it\n";
  legend += kUnreferencedLegend;
  report.line(std::string_view(legend).substr(0, legend.size() - 1));
}

void report_hot_spots(Report report, const std::vector<ops::HotSpots::Spot>& spots, bool one_line_names) {
  constexpr std::size_t kWidth = 41;
  report.heading("chunks added or removed by directory path", kWidth);
  for (const auto& spot : spots)
    report.line(fmt::format("{}: {}", one_line_names ? one_line(spot.path) : spot.path, spot.bytes));
}

Status analyze_set(const Subject& subject, const AnalyzeOptions& options) {
  CAIRN_TRY(const archive::Selection selection, archive_selection("", options.filters));
  CAIRN_TRY(const auto chosen, archive::select(subject.archives, selection));
  if (chosen.empty()) return fail(Code::Error, "No archives match the given selection criteria.");
  std::vector<ChunkId> ids;
  for (const auto& archive : chosen) ids.push_back(archive.id);
  std::ranges::sort(ids);
  std::vector<std::uint32_t> groups;
  for (const auto& archive : subject.archives) groups.push_back(std::ranges::binary_search(ids, archive.id) ? 0 : 1);
  const bool whole_repository = chosen.size() == subject.archives.size();
  CAIRN_TRY(const ops::GroupSizes sizes, measure(subject, groups, 2));
  if (!options.json) {
    report_set(Report(subject.context), sizes, chosen.size(), subject.archives.size(), whole_repository);
  }
  std::optional<std::vector<ops::HotSpots::Spot>> spots;
  if (chosen.size() > 1) {
    CAIRN_TRY(spots, find_hot_spots(subject, chosen));
    if (!options.json) report_hot_spots(Report(subject.context), *spots, subject.context.output.out_is_terminal());
  }
  if (options.json) {
    json document = {{"dedup_size", set_json(sizes, chosen.size(), subject.archives.size(), whole_repository)}};
    json& list = document["hotspots"];
    if (spots) {
      list = json::array();
      for (const auto& spot : *spots) {
        json object = {{"size", spot.bytes}};
        set_text(object, "path", spot.path);
        list.push_back(std::move(object));
      }
    }
    add_repository_json(*subject.session.repository, WithCache::No, document);
    write_json(subject.context.output, document);
  }
  return {};
}

// ---- groups

struct GroupRow {
  const archive::ArchiveGroup* group;
  ops::Sizes sizes;
};

json groups_json(const std::vector<GroupRow>& rows, const ops::GroupSizes& sizes, const ops::Sizes& total,
                 std::size_t archives, std::span<const archive::GroupKey> keys) {
  json list = json::array();
  for (const GroupRow& row : rows) {
    json object = sizes_json(row.sizes);
    object["archives"] = row.group->members.size();
    for (std::size_t i = 0; i < keys.size(); ++i)
      set_text(object["group"], archive::name_of(keys[i]), row.group->values[i]);
    list.push_back(std::move(object));
  }
  json names = json::array();
  for (const auto key : keys) names.push_back(archive::name_of(key));
  json all = sizes_json(total);
  all["archives"] = archives;
  json object = {{"archives", archives},
                 {"shared", sizes_json(sizes.shared)},
                 {"total_chunks", sizes.total_chunks},
                 {"missing_chunks", sizes.missing_chunks}};
  object["group_by"] = std::move(names);
  object["groups"] = std::move(list);
  object["total"] = std::move(all);
  object["unreferenced"] = {{"stored_size", sizes.unreferenced_stored}, {"chunks", sizes.unreferenced_chunks}};
  return object;
}

void report_groups(Report report, const std::vector<GroupRow>& rows, const ops::GroupSizes& sizes,
                   const ops::Sizes& total, std::size_t archives, std::span<const archive::GroupKey> keys) {
  constexpr std::size_t kWidth = 81;
  std::vector<std::string_view> names;
  for (const auto key : keys) names.push_back(archive::name_of(key));
  report.heading(fmt::format("Repository decomposition by {}", fmt::join(names, ",")), kWidth);
  report.line(fmt::format("{} archive(s) in {} group(s)", archives, rows.size()));
  report.line();
  const auto row = [&](const std::string& label, const std::string& count, const std::optional<std::uint64_t>& source,
                       std::uint64_t stored) {
    const std::size_t width = display_width(label);
    report.line(fmt::format("{}{}{:>10}{}", label, std::string(kGroupLabel - std::min(width, kGroupLabel), ' '), count,
                            report.columns(source, stored)));
  };
  report.line(fmt::format("{:<{}}{:>10}{:>14}{:>14}{:>13}", "group", kGroupLabel, "archives", "source", "stored",
                          "compression"));
  for (const GroupRow& group : rows) {
    const std::string text = archive::group_text(*group.group, keys);
    row(text.substr(1, text.size() - 2), std::to_string(group.group->members.size()), group.sizes.source,
        group.sizes.stored);
  }
  row("(shared by 2+ groups)", "", sizes.shared.source, sizes.shared.stored);
  row("(unreferenced)", "", std::nullopt, sizes.unreferenced_stored);
  report.line(std::string(kWidth, '-'));
  row("total (deduplicated)", std::to_string(archives), total.source, total.stored);
  report.unreferenced(sizes);
  report.line("Each chunk counts in one row. The row of a group has what no other group uses: deleting");
  report.line("all archives of the group frees it.");
  report.line();
  const std::string legend = std::string(kLegend) + std::string(kUnreferencedLegend);
  report.line(std::string_view(legend).substr(0, legend.size() - 1));
}

Status analyze_groups(const Subject& subject, const AnalyzeOptions& options) {
  const std::vector<archive::GroupKey>& keys = *options.group_by;
  const std::vector<archive::ArchiveGroup> groups = archive::group_archives(subject.archives, keys);
  std::vector<std::uint32_t> group_of(subject.archives.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::size_t member : groups[g].members) group_of[member] = static_cast<std::uint32_t>(g);
  }
  CAIRN_TRY(const ops::GroupSizes sizes, measure(subject, group_of, static_cast<std::uint32_t>(groups.size())));
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (sizes.exclusive[a].stored != sizes.exclusive[b].stored)
      return sizes.exclusive[a].stored > sizes.exclusive[b].stored;
    return groups[a].values < groups[b].values;
  });
  ops::Sizes total = sizes.shared;
  std::vector<GroupRow> rows;
  for (const std::size_t g : order) {
    rows.push_back({&groups[g], sizes.exclusive[g]});
    total.source += sizes.exclusive[g].source;
    total.stored += sizes.exclusive[g].stored;
  }
  if (!options.json) {
    report_groups(Report(subject.context), rows, sizes, total, subject.archives.size(), keys);
    return {};
  }
  json document = {{"by_group", groups_json(rows, sizes, total, subject.archives.size(), keys)}};
  add_repository_json(*subject.session.repository, WithCache::No, document);
  write_json(subject.context.output, document);
  return {};
}

}  // namespace

Status run_analyze(const AnalyzeOptions& options, Context& context) {
  if (options.group_by && options.group_by->empty()) {
    return fail(Code::Error,
                "--group-by needs at least one archive attribute to decompose by, e.g. --group-by name,host.");
  }
  if (options.group_by && options.filters.any()) {
    return fail(Code::Error, "--group-by analyzes the whole repository and cannot be combined with archive filters.");
  }
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Salvage, *session.pool));
  CAIRN_TRY(const auto archives, ops::load_archives(*session.repository, *session.pool));
  if (archives.empty()) return fail(Code::Error, "No archives match the given selection criteria.");
  log(Level::Info, kLogger, "Starting archives analysis...");
  const Subject subject{.session = session, .context = context, .archives = archives};
  CAIRN_CHECKED(options.group_by ? analyze_groups(subject, options) : analyze_set(subject, options));
  log(Level::Info, kLogger, "Finished archives analysis.");
  return session.repository->close();
}

}  // namespace cairn::cli
