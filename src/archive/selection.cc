#include "archive/selection.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "archive/date_pattern.h"
#include "archive/python_text.h"
#include "archive/time.h"
#include "match/patterns.h"

namespace cairn::archive {
namespace {

using Archives = std::vector<ArchiveSummary>;

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

void keep_if(Archives& archives, const std::function<bool(const ArchiveSummary&)>& wanted) {
  std::erase_if(archives, [&](const ArchiveSummary& archive) { return !wanted(archive); });
}

// The pattern library's errors are about paths; here they are a command's.
template <class T>
Result<T> as_command(Result<T> result) {
  if (!result) return fail(std::move(result).error().as(Code::Command));
  return result;
}

Status apply_name(std::string_view pattern, Archives& archives) {
  if (take_prefix(pattern, "sh:")) {
    CAIRN_TRY(const match::ShellGlob glob, as_command(match::ShellGlob::compile(pattern)));
    keep_if(archives, [&](const ArchiveSummary& archive) { return glob.matches(archive.name); });
    return {};
  }
  if (take_prefix(pattern, "re:")) {
    CAIRN_TRY(const match::Regex regex, as_command(match::Regex::compile(pattern)));
    keep_if(archives, [&](const ArchiveSummary& archive) { return regex.full_match(archive.name); });
    return {};
  }
  take_prefix(pattern, "id:");
  keep_if(archives, [&](const ArchiveSummary& archive) { return archive.name == pattern; });
  return {};
}

Status apply_tags(std::string_view pattern, Archives& archives) {
  std::vector<std::string_view> wanted;
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find(','), pattern.size());
    if (end > 0) wanted.push_back(pattern.substr(0, end));
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  keep_if(archives, [&](const ArchiveSummary& archive) {
    return std::all_of(wanted.begin(), wanted.end(), [&](std::string_view tag) {
      return std::find(archive.tags.begin(), archive.tags.end(), tag) != archive.tags.end();
    });
  });
  return {};
}

Status apply_pattern(std::string_view pattern, Archives& archives) {
  const std::string_view whole = pattern;
  if (take_prefix(pattern, "aid:")) {
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.id.hex().starts_with(pattern); });
    if (archives.size() == 1) return {};
    return fail(Code::Command, "archive ID based match needs to match precisely one archive ID");
  }
  if (take_prefix(pattern, "tags:")) return apply_tags(pattern, archives);
  if (take_prefix(pattern, "user:")) {
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.username == pattern; });
    return {};
  }
  if (take_prefix(pattern, "host:")) {
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.hostname == pattern; });
    return {};
  }
  if (take_prefix(pattern, "date:")) {
    const auto date = parse_date_pattern(pattern);
    if (!date) {
      return fail(Code::Command, fmt::format("Invalid date pattern: {} ({})", whole, date.error().message()));
    }
    keep_if(archives, [&](const ArchiveSummary& archive) { return date->matches(archive.time); });
    return {};
  }
  take_prefix(pattern, "name:");
  return apply_name(pattern, archives);
}

Status apply_times(const Selection& selection, Archives& archives) {
  const auto earlier = [](const ArchiveSummary& a, const ArchiveSummary& b) { return a.time < b.time; };
  if (selection.older) {
    CAIRN_TRY(const Nanoseconds limit, subtract_span(selection.now, *selection.older));
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.time <= limit; });
  }
  if (selection.newer) {
    CAIRN_TRY(const Nanoseconds limit, subtract_span(selection.now, *selection.newer));
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.time >= limit; });
  }
  if (selection.oldest && !archives.empty()) {
    const Nanoseconds oldest = std::min_element(archives.begin(), archives.end(), earlier)->time;
    CAIRN_TRY(const Nanoseconds limit, add_span(oldest, *selection.oldest));
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.time <= limit; });
  }
  if (selection.newest && !archives.empty()) {
    const Nanoseconds newest = std::max_element(archives.begin(), archives.end(), earlier)->time;
    CAIRN_TRY(const Nanoseconds limit, subtract_span(newest, *selection.newest));
    keep_if(archives, [&](const ArchiveSummary& archive) { return archive.time >= limit; });
  }
  return {};
}

bool less_by(SortKey key, const ArchiveSummary& a, const ArchiveSummary& b) {
  switch (key) {
    case SortKey::Timestamp:
      return a.time < b.time;
    case SortKey::Name:
      return a.name < b.name;
    case SortKey::Id:
      return a.id < b.id;
    case SortKey::Tags:
      return a.tags < b.tags;
    case SortKey::Host:
      return a.hostname < b.hostname;
    case SortKey::User:
      return a.username < b.username;
  }
  return false;
}

// By the keys in order; equal ones stay in the order that they have.
void sort_archives(const std::vector<SortKey>& keys, Archives& archives) {
  std::vector<std::size_t> order(archives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (const SortKey key : keys) {
      if (less_by(key, archives[a], archives[b])) return true;
      if (less_by(key, archives[b], archives[a])) return false;
    }
    return a < b;
  });
  Archives sorted;
  sorted.reserve(archives.size());
  for (const std::size_t index : order) sorted.push_back(std::move(archives[index]));
  archives = std::move(sorted);
}

}  // namespace

Result<std::vector<SortKey>> parse_sort_by(std::string_view text) {
  constexpr std::pair<std::string_view, SortKey> kKeys[] = {
      {"timestamp", SortKey::Timestamp}, {"archive", SortKey::Name}, {"name", SortKey::Name}, {"id", SortKey::Id},
      {"tags", SortKey::Tags},           {"host", SortKey::Host},    {"user", SortKey::User}};
  std::vector<SortKey> keys;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view name = text.substr(start, end - start);
    start = end + 1;
    const auto* found =
        std::find_if(std::begin(kKeys), std::end(kKeys), [&](const auto& key) { return key.first == name; });
    if (found == std::end(kKeys)) return fail(Code::Usage, fmt::format("Invalid sort key: {}", name));
    keys.push_back(found->second);
  }
  return keys;
}

Result<Archives> select(Archives archives, const Selection& selection) {
  for (const std::string& pattern : selection.patterns) CAIRN_CHECKED(apply_pattern(pattern, archives));
  CAIRN_CHECKED(apply_times(selection, archives));
  sort_archives(selection.sort_by, archives);
  if (selection.first && archives.size() > *selection.first) archives.resize(*selection.first);
  if (selection.last && archives.size() > *selection.last) {
    archives.erase(archives.begin(), archives.end() - static_cast<std::ptrdiff_t>(*selection.last));
  }
  return archives;
}

Result<ArchiveSummary> select_one(Archives archives, const std::vector<std::string>& patterns) {
  for (const std::string& pattern : patterns) CAIRN_CHECKED(apply_pattern(pattern, archives));
  if (archives.size() == 1) return std::move(archives.front());
  return fail(Code::Command, fmt::format("{} needed to match precisely one archive, but matched {}.",
                                         python_repr(patterns), archives.size()));
}

}  // namespace cairn::archive
