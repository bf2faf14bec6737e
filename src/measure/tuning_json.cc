#include "measure/tuning_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/json_fields.h"
#include "measure/memory_verdict.h"

namespace cairn::measure {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{8} << 20U;
constexpr std::uint64_t kMostKib = std::uint64_t{1} << 24U;
constexpr std::uint64_t kMostThreads = 4096;
constexpr std::uint64_t kMostCount = std::uint64_t{1} << 62U;

std::unexpected<Error> bad(const char* what) {
  return fail(Code::Error, std::string("not a measurement of cairn tune: ") + what);
}

json machine_to_json(const Machine& machine) {
  return {{"platform", machine.platform},     {"machine", machine.architecture},
          {"processor", machine.processor},   {"cpus_available", machine.cpus_available},
          {"cpus_total", machine.cpus_total}, {"python", ""},
          {"blake3", machine.blake3}};
}

json points_to_json(const std::vector<MemoryPoint>& points) {
  json list = json::array();
  for (const MemoryPoint& point : points) list.push_back({{"threads", point.threads}, {"runs", point.runs}});
  return list;
}

json readers_to_json(const ReaderSpeed& readers) {
  json points = json::array();
  for (const ReaderPoint& point : readers.points) points.push_back({{"readers", point.readers}, {"runs", point.runs}});
  return {{"directory", readers.directory}, {"files", readers.files},         {"bytes", readers.bytes},
          {"cached", readers.cached},       {"in_memory", readers.in_memory}, {"points", points}};
}

json settings_to_json(const Settings& settings) {
  json object = {{"kernels", settings.kernels}};
  if (settings.memory_threads) object["memory_threads"] = *settings.memory_threads;
  if (settings.readers) object["readers"] = *settings.readers;
  return object;
}

Result<std::vector<double>> read_runs(const json& object) {
  const json* const list = list_member(object, "runs");
  if (list == nullptr) return bad("runs");
  std::vector<double> runs;
  for (const json& element : *list) {
    const auto run = amount(element);
    if (!run) return bad("a run");
    runs.push_back(*run);
  }
  return runs;
}

Result<Machine> read_machine(const json& document) {
  const json* const object = member(document, "machine");
  if (object == nullptr) return bad("machine");
  Machine machine;
  machine.platform = text_member(*object, "platform").value_or("");
  machine.architecture = text_member(*object, "machine").value_or("");
  machine.processor = text_member(*object, "processor").value_or("");
  machine.blake3 = text_member(*object, "blake3").value_or("");
  machine.cpus_available = static_cast<unsigned>(count_member(*object, "cpus_available", 1U << 20U).value_or(1));
  machine.cpus_total = static_cast<unsigned>(count_member(*object, "cpus_total", 1U << 20U).value_or(1));
  return machine;
}

Result<ThresholdSearch> read_blake3(const json& document, double margin) {
  ThresholdSearch search;
  const json* const list = list_member(document, "results");
  if (list == nullptr) return bad("results");
  for (const json& element : *list) {
    const auto kib = count_member(element, "kib", kMostKib);
    const auto single = amount_member(element, "single");
    const auto many = amount_member(element, "auto");
    const auto ratio = amount_member(element, "ratio");
    if (!kib || *kib == 0 || !single || !many || !ratio) return bad("a result");
    search.points.push_back({.kib = static_cast<unsigned>(*kib),
                             .single = *single,
                             .many = *many,
                             .ratio = *ratio,
                             .noise = amount_member(element, "noise").value_or(0)});
  }
  std::ranges::sort(search.points, {}, &Blake3Point::kib);
  if (std::ranges::adjacent_find(search.points, {}, &Blake3Point::kib) != search.points.end()) {
    return bad("a size that is there twice");
  }
  search.threshold_kib = threshold_of(search.points, margin);
  return search;
}

Result<std::vector<MemoryPoint>> read_memory_points(const json& memory, const char* key) {
  const json* const list = list_member(memory, key);
  if (list == nullptr) return bad("memory");
  std::vector<MemoryPoint> points;
  for (const json& element : *list) {
    const auto threads = count_member(element, "threads", kMostThreads);
    if (!threads || *threads == 0 || (!points.empty() && *threads <= points.back().threads)) return bad("threads");
    CAIRN_TRY(auto runs, read_runs(element));
    if (runs.empty()) return bad("memory without runs");
    points.push_back({.threads = static_cast<unsigned>(*threads), .runs = std::move(runs)});
  }
  return points;
}

Result<MemorySpeed> read_memory(const json& memory) {
  MemorySpeed speed;
  speed.bytes = static_cast<std::size_t>(count_member(memory, "bytes", kMostCount).value_or(0));
  CAIRN_TRY(speed.set, read_memory_points(memory, "set"));
  CAIRN_TRY(speed.copy, read_memory_points(memory, "copy"));
  CAIRN_TRY(speed.hash, read_memory_points(memory, "hash"));
  return speed;
}

Result<std::vector<ChunkerKernels>> read_kernels(const json& list) {
  std::vector<ChunkerKernels> chunkers;
  if (!list.is_array() || list.size() > kMostElements) return bad("kernels");
  for (const json& element : list) {
    ChunkerKernels chunker;
    const auto name = text_member(element, "chunker");
    const json* const rates = list_member(element, "rates");
    if (!name || rates == nullptr) return bad("a chunker");
    chunker.chunker = *name;
    chunker.params = text_member(element, "params").value_or(*name);
    chunker.usual = text_member(element, "usual").value_or("");
    for (const json& rate : *rates) {
      const auto kernel = text_member(rate, "name");
      if (!kernel) return bad("a kernel");
      CAIRN_TRY(auto runs, read_runs(rate));
      chunker.rates.push_back({.name = *kernel, .runs = std::move(runs)});
    }
    chunkers.push_back(std::move(chunker));
  }
  return chunkers;
}

Result<ReaderSpeed> read_readers(const json& object) {
  ReaderSpeed readers;
  const json* const points = list_member(object, "points");
  if (points == nullptr) return bad("readers");
  readers.directory = text_member(object, "directory").value_or("");
  readers.files = count_member(object, "files", kMostCount).value_or(0);
  readers.bytes = count_member(object, "bytes", kMostCount).value_or(0);
  readers.cached = amount_member(object, "cached").value_or(0);
  readers.in_memory = bool_member(object, "in_memory").value_or(false);
  for (const json& element : *points) {
    const auto count = count_member(element, "readers", kMostThreads);
    if (!count || *count == 0) return bad("readers");
    CAIRN_TRY(auto runs, read_runs(element));
    readers.points.push_back({.readers = static_cast<unsigned>(*count), .runs = std::move(runs)});
  }
  return readers;
}

}  // namespace

json tuning_to_json(const Tuning& tuning) {
  json results = json::array();
  for (const Blake3Point& point : tuning.blake3.points) {
    results.push_back({{"kib", point.kib},
                       {"single", point.single},
                       {"auto", point.many},
                       {"ratio", point.ratio},
                       {"noise", point.noise}});
  }
  json document = {{"machine", machine_to_json(tuning.machine)},
                   {"margin", tuning.margin},
                   {"results", std::move(results)},
                   {"threads", tuning.threads},
                   {"effort", tuning.effort},
                   {"runs", tuning.runs},
                   {"seconds", tuning.seconds},
                   {"load", tuning.load},
                   {"complete", tuning.complete},
                   {"recommended", settings_to_json(recommended(tuning))}};
  document["threshold_kib"] = tuning.blake3.threshold_kib ? json(*tuning.blake3.threshold_kib) : json(nullptr);
  if (!tuning.memory.set.empty()) {
    json memory = {{"bytes", tuning.memory.bytes},
                   {"set", points_to_json(tuning.memory.set)},
                   {"copy", points_to_json(tuning.memory.copy)},
                   {"hash", points_to_json(tuning.memory.hash)}};
    if (const auto verdict = judge(tuning.memory)) {
      memory["knee"] = verdict->knee;
      memory["cap"] = verdict->cap;
      memory["sure"] = verdict->sure;
      memory["spread"] = verdict->spread;
    }
    document["memory"] = std::move(memory);
  }
  if (!tuning.kernels.empty()) {
    json list = json::array();
    for (const ChunkerKernels& chunker : tuning.kernels) {
      json rates = json::array();
      for (const KernelRate& rate : chunker.rates) rates.push_back({{"name", rate.name}, {"runs", rate.runs}});
      list.push_back({{"chunker", chunker.chunker},
                      {"params", chunker.params},
                      {"usual", chunker.usual},
                      {"best", chunker.best()},
                      {"rates", std::move(rates)}});
    }
    document["kernels"] = std::move(list);
  }
  if (tuning.readers) document["readers"] = readers_to_json(*tuning.readers);
  return document;
}

Result<Tuning> tuning_from_json(std::string_view text) {
  if (text.size() > kMostBytes) return bad("too long");
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return bad("no JSON object");
  Tuning tuning;
  CAIRN_TRY(tuning.machine, read_machine(document));
  tuning.margin = amount_member(document, "margin").value_or(1.0);
  tuning.threads = static_cast<unsigned>(
      count_member(document, "threads", kMostThreads).value_or(std::min(tuning.machine.cpus_available, 4096U)));
  tuning.effort = text_member(document, "effort").value_or("");
  tuning.runs = static_cast<int>(count_member(document, "runs", 1'000'000).value_or(0));
  tuning.seconds = amount_member(document, "seconds").value_or(0);
  tuning.load = amount_member(document, "load").value_or(0);
  tuning.complete = bool_member(document, "complete").value_or(true);
  CAIRN_TRY(tuning.blake3, read_blake3(document, tuning.margin));
  if (const json* const memory = member(document, "memory")) {
    CAIRN_TRY(tuning.memory, read_memory(*memory));
  }
  if (const json* const kernels = member(document, "kernels")) {
    CAIRN_TRY(tuning.kernels, read_kernels(*kernels));
  }
  if (const json* const readers = member(document, "readers")) {
    CAIRN_TRY(tuning.readers, read_readers(*readers));
  }
  return tuning;
}

}  // namespace cairn::measure
