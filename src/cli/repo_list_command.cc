// repo-list: the archives of a repository.
#include "cli/repo_list_command.h"

#include <map>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/env.h"
#include "cli/archive_format.h"
#include "cli/json_output.h"
#include "cli/repository_json.h"
#include "cli/session.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat =
    "{id:.8}  {time}  {archive:<15}  {tags:<10}  {username:<10}  {hostname:<10}  {comment:.40}{NL}";

std::string group_value(const archive::ArchiveSummary& archive, std::string_view key) {
  if (key == "name") return archive.name;
  if (key == "host") return archive.hostname;
  if (key == "user") return archive.username;
  std::string tags;
  for (const auto& tag : archive.tags) {
    if (!tag.starts_with('@')) tags += (tags.empty() ? "" : ",") + tag;
  }
  return tags;
}

}  // namespace

Status run_repo_list(const RepoListOptions& options, Context& context) {
  if (options.from_borg1) return fail(Code::Error, "borg 1.x repositories can not be read yet.");
  std::string text(kDefaultFormat);
  if (options.short_form) text = "{id}{NL}";
  if (!options.short_form && !options.format) text = env_nonempty("BORG_REPO_LIST_FORMAT").value_or(text);
  if (options.format) text = *options.format;
  CAIRN_TRY(const ArchiveFormat format, ArchiveFormat::compile(text));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(const auto archives,
            find_archives(session, "", options.filters, options.deleted ? store::Which::Deleted : store::Which::Live));

  // Groups in the order of their first archive; one nameless group without --group-by.
  std::vector<std::pair<std::vector<std::string>, std::vector<const archive::ArchiveSummary*>>> groups;
  for (const auto& archive : archives) {
    std::vector<std::string> key;
    for (const auto& name : options.group_by) key.push_back(group_value(archive, name));
    auto found = std::ranges::find(groups, key, &decltype(groups)::value_type::first);
    if (found == groups.end()) found = groups.insert(groups.end(), {key, {}});
    found->second.push_back(&archive);
  }

  nlohmann::json list = nlohmann::json::array();
  bool first_group = true;
  for (const auto& [key, members] : groups) {
    if (!options.group_by.empty() && !options.json) {
      std::string header = first_group ? "Group (" : "\nGroup (";
      for (std::size_t i = 0; i < key.size(); ++i) {
        header += fmt::format("{}{}='{}'", i > 0 ? ", " : "", options.group_by[i], key[i]);
      }
      context.output.write(context.output.out_text(header) + "):\n");
    }
    first_group = false;
    for (const archive::ArchiveSummary* archive : members) {
      if (options.json) {
        nlohmann::json object;
        set_text(object, "archive", archive->name);
        set_text(object, "name", archive->name);
        object["id"] = archive->id.hex();
        object["time"] = archive::iso_local(archive->time);
        format.add_json(*archive, object);
        if (!options.group_by.empty()) {
          nlohmann::json group;
          for (std::size_t i = 0; i < key.size(); ++i) group[options.group_by[i]] = key[i];
          object["group"] = std::move(group);
        }
        list.push_back(std::move(object));
      } else {
        CAIRN_TRY(const std::string line, format.render(*archive));
        context.output.write(context.output.out_text(line));
      }
    }
  }
  if (options.json) {
    nlohmann::json document = {{"archives", std::move(list)}};
    add_repository_json(*session.repository, WithCache::No, document);
    write_json(context.output, document);
  }
  return session.repository->close();
}

}  // namespace cairn::cli
