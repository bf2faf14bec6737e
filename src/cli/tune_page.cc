#include "cli/tune_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "chart/chart.h"
#include "cli/html_text.h"
#include "cli/tune_charts.h"
#include "cli/tune_report.h"
#include "measure/memory_verdict.h"

namespace cairn::cli {
namespace {

using measure::Tuning;

constexpr const char* kStyle =
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;color:#14140f;background:#fff;"
    "max-width:1120px;margin:24px auto;padding:0 16px}"
    "svg{width:100%;height:auto;margin:16px 0}"
    "h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:28px 0 8px}"
    "p{margin:4px 0}.muted,caption{color:#6b6a63}"
    "pre{background:#f4f3ee;padding:12px 16px;overflow-x:auto;font:13px/1.5 ui-monospace,'DejaVu Sans Mono',monospace}"
    "table{border-collapse:collapse;margin:8px 0 24px}caption{text-align:left;padding-bottom:4px}"
    "th,td{text-align:right;padding:2px 14px 2px 0;border-bottom:1px solid #e1e0d9;font-variant-numeric:tabular-nums}"
    "th:first-child,td:first-child{text-align:left}td.bad{color:#d03b3b}td.text,th.text{text-align:left}"
    "@media (prefers-color-scheme:dark){body{color:#f1f0ea;background:#1a1a18}.muted,caption{color:#a9a79d}"
    "pre{background:#26251f}th,td{border-color:#3a3935}td.bad{color:#ef6a6a}}";

std::string blake3_table(const Tuning& tuning) {
  if (tuning.blake3.points.empty()) return {};
  std::string out = fmt::format(
      "<table>\n<caption>BLAKE3 of one chunk, MiB/s</caption>\n<tr><th>KiB</th><th>one thread</th><th>{} threads</th>"
      "<th>ratio</th><th>noise</th></tr>\n",
      tuning.threads);
  for (const measure::Blake3Point& point : tuning.blake3.points) {
    out += fmt::format("<tr><td>{}</td><td>{:.0f}</td><td>{:.0f}</td><td{}>{:.2f}x</td><td>{:.0f} %</td></tr>\n",
                       point.kib, point.single, point.many, point.ratio < tuning.margin ? " class=\"bad\"" : "",
                       point.ratio, point.noise * 100);
  }
  return out + "</table>\n";
}

std::string memory_table(const Tuning& tuning) {
  const measure::MemorySpeed& memory = tuning.memory;
  if (memory.set.empty()) return {};
  std::string out =
      "<table>\n<caption>Memory, GiB/s of all threads together: median, and slowest to fastest run</caption>\n"
      "<tr><th>threads</th><th>set</th><th></th><th>copy</th><th></th><th>hash</th><th></th></tr>\n";
  for (std::size_t i = 0; i < memory.set.size(); ++i) {
    out += fmt::format("<tr><td>{}</td>", memory.set[i].threads);
    for (const auto* points : {&memory.set, &memory.copy, &memory.hash}) {
      if (i >= points->size() || (*points)[i].runs.empty()) {
        out += "<td></td><td></td>";
        continue;
      }
      const auto [least, most] = std::ranges::minmax((*points)[i].runs);
      out += fmt::format("<td>{:.1f}</td><td class=\"muted\">{:.1f} to {:.1f}</td>", measure::median((*points)[i].runs),
                         least, most);
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string kernels_table(const Tuning& tuning) {
  if (tuning.kernels.empty()) return {};
  std::string out =
      "<table>\n<caption>Chunkers, MiB/s on one thread</caption>\n<tr><th>chunker</th><th class=\"text\">kernel</th>"
      "<th>MiB/s</th><th class=\"text\"></th></tr>\n";
  for (const measure::ChunkerKernels& chunker : tuning.kernels) {
    const std::string best = chunker.best();
    for (const measure::KernelRate& rate : chunker.rates) {
      if (rate.runs.empty()) continue;
      out += fmt::format("<tr><td>{}</td><td class=\"text\">{}</td><td>{:.0f}</td><td class=\"text\">{}</td></tr>\n",
                         html_text(chunker.params), html_text(rate.name), measure::median(rate.runs),
                         rate.name == best            ? "best"
                         : rate.name == chunker.usual ? "usual"
                                                      : "");
    }
  }
  return out + "</table>\n";
}

std::string readers_table(const Tuning& tuning) {
  if (!tuning.readers) return {};
  std::string out = fmt::format(
      "<table>\n<caption>Readers in {}, MiB/s of all together</caption>\n<tr><th>readers</th><th>MiB/s</th></tr>\n",
      html_text(tuning.readers->directory));
  for (const measure::ReaderPoint& point : tuning.readers->points) {
    if (point.runs.empty()) continue;
    out += fmt::format("<tr><td>{}</td><td>{:.0f}</td></tr>\n", point.readers, measure::median(point.runs));
  }
  return out + "</table>\n";
}

}  // namespace

std::string tune_page(const Tuning& tuning) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>cairn tune: {}</title>\n<style>{}</style>\n</head>\n"
      "<body>\n<h1>What to set on this machine</h1>\n<p class=\"muted\">{}</p>\n",
      html_text(tuning.machine.processor), kStyle, html_text(tune_caption(tuning)));
  if (!tuning.complete) out += "<p>The measurement was interrupted; nothing is recommended.</p>\n";
  const std::string settings = tune_settings(tuning);
  if (!settings.empty()) out += fmt::format("<pre>{}</pre>\n", html_text(settings));
  out += "<h2>Charts</h2>\n";
  for (const chart::Chart& one : tune_charts(tuning)) out += chart::svg(one);
  out += "<h2>Numbers</h2>\n";
  out += blake3_table(tuning) + memory_table(tuning) + kernels_table(tuning) + readers_table(tuning);
  return out + "</body>\n</html>\n";
}

}  // namespace cairn::cli
