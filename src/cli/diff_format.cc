#include "cli/diff_format.h"

#include <array>
#include <functional>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/units.h"
#include "cli/display_text.h"
#include "cli/item_format.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

using ops::ItemChanges;
using ops::NodeKind;
using ops::Presence;

constexpr std::array<std::string_view, 17> kKeys = {"path", "change", "content", "mode",      "type",    "owner",
                                                    "user", "group",  "link",    "directory", "blkdev",  "chrdev",
                                                    "fifo", "mtime",  "ctime",   "isomtime",  "isoctime"};

// What {change} is made of, in this order.
constexpr std::string_view kChangeKeys[] = {"content",   "mode",   "type",   "owner", "group", "user", "link",
                                            "directory", "blkdev", "chrdev", "fifo",  "mtime", "ctime"};

std::string_view name_of(NodeKind kind) {
  constexpr std::string_view kNames[] = {"link", "directory", "blkdev", "chrdev", "fifo"};
  return kNames[static_cast<std::size_t>(kind)];
}

// "added directory"
std::string node_change(const ItemChanges& changes) {
  constexpr std::string_view kVerbs[] = {"changed", "added", "removed"};
  return fmt::format("{} {}", kVerbs[static_cast<std::size_t>(changes.presence)], name_of(*changes.node));
}

std::string_view content_verb(Presence presence) {
  constexpr std::string_view kVerbs[] = {"modified", "added", "removed"};
  return kVerbs[static_cast<std::size_t>(presence)];
}

std::string content_text(const ItemChanges& changes, Units units) {
  const ops::ContentChange& content = *changes.content;
  const auto added = static_cast<std::int64_t>(content.added);
  const auto removed = static_cast<std::int64_t>(content.removed);
  switch (changes.presence) {
    case Presence::Added:
      return fmt::format("added: {:>20}", format_size(added, {.units = units}));
    case Presence::Removed:
      return fmt::format("removed: {:>18}", format_size(removed, {.units = units}));
    case Presence::Changed:
      break;
  }
  if (!content.known) return "modified:  (can't get size)";
  return fmt::format("modified: {:>8} {:>8}", format_size(added, {.precision = 1, .sign = true, .units = units}),
                     format_size(-removed, {.precision = 1, .sign = true, .units = units}));
}

std::string arrow(std::string_view before, std::string_view after) { return fmt::format("[{} -> {}]", before, after); }

std::string shown(const std::optional<std::string>& name) { return name.value_or("None"); }

std::string owner_text(const ops::Owner& owner) { return shown(owner.user) + ":" + shown(owner.group); }

std::string times_text(std::string_view name, const std::optional<ops::BeforeAfter<Nanoseconds>>& times,
                       std::string (*text)(Nanoseconds)) {
  if (!times) return {};
  return fmt::format("[{}: {} -> {}]", name, text(times->before), text(times->after));
}

std::string value_of(const ItemChanges& changes, std::string_view key, Units units) {
  if (key == "content") return changes.content ? content_text(changes, units) : "";
  if (key == "mode") return changes.mode ? arrow(mode_text(changes.mode->before), mode_text(changes.mode->after)) : "";
  if (key == "type") {
    if (!changes.mode) return "";
    const std::string before = mode_text(changes.mode->before).substr(0, 1);
    const std::string after = mode_text(changes.mode->after).substr(0, 1);
    return before != after ? arrow(before, after) : "";
  }
  if (key == "owner" || key == "user" || key == "group") {
    if (!changes.owner) return "";
    const ops::Owner& before = changes.owner->before;
    const ops::Owner& after = changes.owner->after;
    if (key == "owner") return arrow(owner_text(before), owner_text(after));
    if (key == "user") return before.user != after.user ? arrow(shown(before.user), shown(after.user)) : "";
    return before.group != after.group ? arrow(shown(before.group), shown(after.group)) : "";
  }
  if (key == "mtime") return times_text("mtime", changes.mtime, archive::human_ns);
  if (key == "ctime") return times_text("ctime", changes.ctime, archive::human_ns);
  if (key == "isomtime") return times_text("mtime", changes.mtime, archive::iso_local_ns);
  if (key == "isoctime") return times_text("ctime", changes.ctime, archive::iso_local_ns);
  if (key == "change") {
    std::string all;
    for (const std::string_view part : kChangeKeys) {
      const std::string text = value_of(changes, part, units);
      if (!text.empty()) all += (all.empty() ? "" : " ") + text;
    }
    return all;
  }
  if (changes.node && key == name_of(*changes.node)) return fmt::format("{:<27}", node_change(changes));
  return {};
}

std::string owner_part(const std::optional<std::string>& name, bool numeric_ids) {
  if (!name) return "null";
  if (numeric_ids) return *name;
  std::string text;
  append_json_string(text, *name);
  return text;
}

std::string json_change(std::string_view type, const std::string& before, const std::string& after) {
  return JsonLine().json("item1", before).json("item2", after).raw_text("type", type).str();
}

std::string json_texts(std::string_view type, std::string_view before, std::string_view after) {
  return JsonLine().raw_text("item1", before).raw_text("item2", after).raw_text("type", type).str();
}

}  // namespace

Result<DiffFormat> DiffFormat::compile(std::string_view text) {
  CAIRN_TRY(auto compiled, archive::FormatTemplate::compile(text, kKeys));
  return DiffFormat(std::move(compiled));
}

Status DiffFormat::render(const ItemChanges& changes, Units units, bool one_line_name, std::string& out) const {
  const auto& keys = template_.keys();
  return template_.render(
      [&](std::size_t i) {
        if (keys[i] != "path") return archive::FormatValue(value_of(changes, keys[i], units));
        return one_line_name ? archive::FormatValue(one_line(changes.path))
                             : archive::FormatValue(std::string_view(changes.path));
      },
      out);
}

std::string diff_json(const ItemChanges& changes, bool numeric_ids) {
  std::string list;
  const auto add = [&](const std::string& object) { list += (list.empty() ? "" : ", ") + object; };
  const auto add_node = [&] { add(JsonLine().raw_text("type", node_change(changes)).str()); };
  const bool is_link = changes.node == NodeKind::Link;
  if (is_link) add_node();
  if (changes.content) {
    JsonLine content;
    if (changes.content->known) {
      content.unsigned_integer("added", changes.content->added).unsigned_integer("removed", changes.content->removed);
    }
    add(content.raw_text("type", content_verb(changes.presence)).str());
  }
  if (changes.node && !is_link) add_node();
  if (changes.owner) {
    const auto both = [&](const ops::Owner& owner) {
      return fmt::format("[{}, {}]", owner_part(owner.user, numeric_ids), owner_part(owner.group, numeric_ids));
    };
    const ops::Owner& before = changes.owner->before;
    const ops::Owner& after = changes.owner->after;
    const auto part = [&](std::string_view type, const auto& old_name, const auto& new_name) {
      if (old_name != new_name)
        add(json_change(type, owner_part(old_name, numeric_ids), owner_part(new_name, numeric_ids)));
    };
    add(json_change("changed owner", both(before), both(after)));
    part("changed user", before.user, after.user);
    part("changed group", before.group, after.group);
  }
  if (changes.mode) {
    const std::string before = mode_text(changes.mode->before);
    const std::string after = mode_text(changes.mode->after);
    add(json_texts("changed mode", before, after));
    if (before[0] != after[0]) add(json_texts("changed type", before.substr(0, 1), after.substr(0, 1)));
  }
  for (const auto& [name, times] : {std::pair("ctime", changes.ctime), std::pair("mtime", changes.mtime)}) {
    if (times) add(json_texts(name, archive::iso_local_ns(times->before), archive::iso_local_ns(times->after)));
  }
  return JsonLine().json("changes", "[" + list + "]").raw_text("path", changes.path).str() + "\n";
}

}  // namespace cairn::cli
