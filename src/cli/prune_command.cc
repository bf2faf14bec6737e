#include "cli/prune_command.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/env.h"
#include "cli/archive_format.h"
#include "cli/json_output.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/tips.h"
#include "ops/archives.h"
#include "ops/delete_archives.h"
#include "ops/prune.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kLogger = "borg.archiver.prune_cmd";
constexpr std::string_view kDefaultFormat = "{archive:<36} {time} [{id}]";

// Shows the plan, archive by archive in its order, while it is carried out.
class Listing {
 public:
  Listing(const PruneOptions& options, const ops::PrunePlan& plan, const ArchiveFormat& format, Context& context)
      : options_(options), plan_(plan), format_(format), to_prune_(plan.pruned()) {
    if (context.progress.enabled()) percent_.emplace(context.progress, kPrunePercent, to_prune_);
  }
  // Up to the archive that is the `count`th to go.
  Status show_until_pruned(std::size_t count) {
    while (next_ < plan_.entries.size() && pruned_ < count) CAIRN_CHECKED(show(plan_.entries[next_++]));
    return {};
  }
  Status show_rest() {
    while (next_ < plan_.entries.size()) CAIRN_CHECKED(show(plan_.entries[next_++]));
    if (percent_) percent_->finish();
    return {};
  }
  nlohmann::json document() { return {{"archives", std::move(list_)}}; }

 private:
  Status show(const ops::PrunePlan::Entry& entry);
  Status show_text(const ops::PrunePlan::Entry& entry) const;
  nlohmann::json json_of(const ops::PrunePlan::Entry& entry) const;
  bool wanted(bool kept) const {
    if (options_.list) return true;
    if (options_.json && !options_.list_kept && !options_.list_pruned) return true;
    return kept ? options_.list_kept : options_.list_pruned;
  }

  const PruneOptions& options_;
  const ops::PrunePlan& plan_;
  const ArchiveFormat& format_;
  const std::size_t to_prune_;
  std::optional<PercentProgress> percent_;
  std::size_t next_ = 0, pruned_ = 0;
  nlohmann::json list_ = nlohmann::json::array();
};

Status Listing::show(const ops::PrunePlan::Entry& entry) {
  if (!entry.decision.kept) {
    if (percent_) percent_->advance();
    ++pruned_;
  }
  if (!wanted(entry.decision.kept)) return {};
  if (!options_.json) return show_text(entry);
  list_.push_back(json_of(entry));
  return {};
}

Status Listing::show_text(const ops::PrunePlan::Entry& entry) const {
  std::string what = "Would prune:";
  if (entry.decision.kept) {
    what = fmt::format("Keeping archive (rule: {}{} #{}):", archive::name_of(entry.decision.rule),
                       entry.decision.oldest ? "[oldest]" : "", entry.decision.number);
  } else if (!options_.dry_run) {
    what = fmt::format("Pruning archive ({}/{}):", pruned_, to_prune_);
  }
  CAIRN_TRY(const std::string archive, format_.render(entry.archive));
  log(Level::Info, "borg.output.list", fmt::format("{:<44} {}", what, archive));
  return {};
}

nlohmann::json Listing::json_of(const ops::PrunePlan::Entry& entry) const {
  nlohmann::json object;
  set_text(object, "archive", entry.archive.name);
  set_text(object, "name", entry.archive.name);
  object["id"] = entry.archive.id.hex();
  object["time"] = archive::iso_local(entry.archive.time);
  format_.add_json(entry.archive, object);
  nlohmann::json group = nlohmann::json::object();
  for (std::size_t i = 0; i < options_.group_by.size(); ++i) {
    set_text(group, archive::name_of(options_.group_by[i]), plan_.groups[entry.group].values[i]);
  }
  object["group"] = std::move(group);
  object["kept"] = entry.decision.kept;
  if (entry.decision.kept) {
    object["keep_rule"] = archive::name_of(entry.decision.rule);
    object["kept_archive_number"] = entry.decision.number;
    object["kept_oldest"] = entry.decision.oldest;
  } else {
    object["deleted_archive_number"] = pruned_;
  }
  return object;
}

void log_plan(const ops::PrunePlan& plan, std::span<const archive::GroupKey> keys) {
  if (plan.groups.size() > 1) {
    for (const archive::ArchiveGroup& group : plan.groups) {
      const std::size_t pruned = plan.pruned(group);
      log(Level::Info, kLogger,
          fmt::format("Group {}: {} archives, keeping {}, pruning {}.", archive::group_text(group, keys),
                      group.members.size(), group.members.size() - pruned, pruned));
    }
  }
  const std::size_t pruned = plan.pruned();
  log(Level::Info, kLogger,
      fmt::format("Keeping {} archives, pruning {} archives.", plan.entries.size() - pruned, pruned));
}

}  // namespace

Status run_prune(const PruneOptions& options, Context& context) {
  context.log.enable(options.list || options.list_kept || options.list_pruned, false);
  CAIRN_CHECKED(archive::check_prune_rules(options.rules));
  std::string text(kDefaultFormat);
  if (options.short_form) text = "{archive}";
  if (!options.short_form && !options.format) text = env_nonempty("BORG_PRUNE_FORMAT").value_or(text);
  if (options.format) text = *options.format;
  CAIRN_TRY(const ArchiveFormat format, ArchiveFormat::compile(text));
  ops::PruneRequest request{.rules = options.rules, .group_by = options.group_by, .now = system_clock().now()};
  if (options.from) {
    CAIRN_TRY(const archive::Timestamp from, archive::parse_timestamp_option(*options.from));
    request.from = from.time;
  }

  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Salvage, *session.pool));
  CAIRN_TRY(auto archives, ops::load_archives(*session.repository, *session.pool));
  log(Level::Info, kLogger, fmt::format("Repository contains {} archives.", archives.size()));
  CAIRN_TRY(const archive::Selection selection, archive_selection(options.name.value_or(""), options.filters));
  CAIRN_TRY(auto selected, archive::select(std::move(archives), selection));
  if (options.name && selected.empty()) {
    say_tip(context, fmt::format("No archive matches {}: nothing to prune.", *options.name));
  }
  const ops::PrunePlan plan = ops::plan_prune(std::move(selected), request);
  log(Level::Info, kLogger, fmt::format("Applying rules to the matching {} archives...", plan.entries.size()));
  log_plan(plan, options.group_by);

  Listing listing(options, plan, format, context);
  if (!options.dry_run) {
    std::vector<archive::ArchiveSummary> doomed;
    for (const auto& entry : plan.entries) {
      if (!entry.decision.kept) doomed.push_back(entry.archive);
    }
    CAIRN_CHECKED(ops::mark_archives(
        *session.repository, doomed, ops::Mark::Deleted,
        [&](std::size_t index) { return listing.show_until_pruned(index + 1); }, interrupted()));
    CAIRN_CHECKED(listing.show_rest());
    if (!doomed.empty()) log(Level::Warning, "borg.archiver", "Done. Run \"borg compact\" to free space.");
  } else {
    CAIRN_CHECKED(listing.show_rest());
  }
  if (options.json) {
    nlohmann::json document = listing.document();
    add_repository_json(*session.repository, WithCache::No, document);
    write_json(context.output, document);
  }
  return session.repository->close();
}

}  // namespace cairn::cli
