#include "cli/store_report.h"

#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/log.h"

namespace cairn::cli {
namespace {

using store::Operation;

enum class Unit { Count, Seconds, Bytes, BytesPerSecond, Share, Answer };

struct Figure {
  std::string key;
  Unit unit = Unit::Count;
  double value = 0;
};

void add_operation(std::vector<Figure>& figures, const std::string& name, const store::OperationCount& count,
                   bool moves_bytes) {
  figures.push_back({name + "_calls", Unit::Count, static_cast<double>(count.calls)});
  figures.push_back({name + "_time", Unit::Seconds, count.seconds});
  if (!moves_bytes) return;
  const auto bytes = static_cast<double>(count.bytes);
  figures.push_back({name + "_volume", Unit::Bytes, bytes});
  figures.push_back({name + "_throughput", Unit::BytesPerSecond, count.seconds > 0 ? bytes / count.seconds : 0});
}

std::vector<Figure> figures_of(const store::StoreStatistics& statistics) {
  struct Named {
    Operation operation;
    const char* name;
  };
  constexpr auto kBorgs = std::to_array<Named>({{Operation::Info, "info"},
                                                {Operation::List, "list"},
                                                {Operation::Load, "load"},
                                                {Operation::Put, "store"},
                                                {Operation::Remove, "delete"},
                                                {Operation::Move, "move"}});
  constexpr auto kOurs = std::to_array<Operation>(
      {Operation::Create, Operation::Destroy, Operation::Open, Operation::Hash, Operation::Sync});
  std::vector<Figure> figures;
  for (const auto [operation, name] : kBorgs) {
    add_operation(figures, name, statistics.of(operation), operation == Operation::Load || operation == Operation::Put);
  }
  for (const auto [operation, name] : kBorgs) {
    if (operation != Operation::Load && operation != Operation::Put && operation != Operation::Remove) continue;
    const auto count = statistics.of(operation);
    figures.push_back({fmt::format("backend_{}_calls", name), Unit::Count, static_cast<double>(count.calls)});
    if (operation == Operation::Remove) continue;
    figures.push_back({fmt::format("backend_{}_volume", name), Unit::Bytes, static_cast<double>(count.bytes)});
  }
  figures.push_back({"cache_disabled", Unit::Answer, 1});
  for (const char* key : {"cache_hits", "cache_misses"}) figures.push_back({key, Unit::Count, 0});
  figures.push_back({"cache_hit_ratio", Unit::Share, 0});
  figures.push_back({"cache_errors", Unit::Count, 0});
  for (const char* name : {"cache_load", "cache_store"}) {
    figures.push_back({fmt::format("{}_calls", name), Unit::Count, 0});
    figures.push_back({fmt::format("{}_volume", name), Unit::Bytes, 0});
  }
  figures.push_back({"cache_delete_calls", Unit::Count, 0});
  for (const Operation operation : kOurs) {
    const auto count = statistics.of(operation);
    if (count.calls > 0) add_operation(figures, store::name_of(operation), count, false);
  }
  return figures;
}

std::string text_of(const Figure& figure, Units units) {
  const auto size = [&] { return format_size(static_cast<std::int64_t>(figure.value), {.units = units}); };
  switch (figure.unit) {
    case Unit::Seconds:
      return fmt::format("{:.3f} seconds", figure.value);
    case Unit::Bytes:
      return size();
    case Unit::BytesPerSecond:
      return size() + "/s";
    case Unit::Share:
      return fmt::format("{:.1f}%", figure.value * 100);
    case Unit::Answer:
      return figure.value != 0 ? "True" : "False";
    case Unit::Count:
      break;
  }
  return fmt::format("{:.0f}", figure.value);
}

}  // namespace

void log_store_statistics(const store::StoreStatistics& statistics, Units units) {
  for (const Figure& figure : figures_of(statistics)) {
    std::string name = figure.key;
    for (char& c : name) {
      if (c == '_') c = ' ';
    }
    log(Level::Info, "borg.output.stats", fmt::format("Store {}: {}", name, text_of(figure, units)));
  }
}

nlohmann::json store_statistics_json(const store::StoreStatistics& statistics) {
  nlohmann::json object = nlohmann::json::object();
  for (const Figure& figure : figures_of(statistics)) {
    auto& value = object[figure.key];
    switch (figure.unit) {
      case Unit::Answer:
        value = figure.value != 0;
        break;
      case Unit::Count:
      case Unit::Bytes:
        value = static_cast<std::uint64_t>(figure.value);
        break;
      case Unit::Seconds:
      case Unit::BytesPerSecond:
      case Unit::Share:
        value = figure.value;
        break;
    }
  }
  return object;
}

}  // namespace cairn::cli
