#include "cli/json_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/env.h"
#include "base/utf8.h"
#include "cli/display_text.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

using nlohmann::json;

class Writer {
 public:
  explicit Writer(const std::optional<std::string>& indent) : indent_(indent) {}
  std::string take() { return std::move(out_); }

  void value(const json& node) {
    switch (node.type()) {
      case json::value_t::object:
        container('{', '}', node, [&](const auto& element) {
          append_json_string(out_, element.key());
          out_ += ": ";
          value(element.value());
        });
        break;
      case json::value_t::array:
        container('[', ']', node, [&](const auto& element) { value(element.value()); });
        break;
      case json::value_t::string:
        append_json_string(out_, node.get_ref<const std::string&>());
        break;
      case json::value_t::boolean:
        out_ += node.get<bool>() ? "true" : "false";
        break;
      case json::value_t::number_integer:
        out_ += fmt::format("{}", node.get<std::int64_t>());
        break;
      case json::value_t::number_unsigned:
        out_ += fmt::format("{}", node.get<std::uint64_t>());
        break;
      case json::value_t::number_float:
        out_ += json_number(node.get<double>());
        break;
      case json::value_t::null:
      case json::value_t::binary:
      case json::value_t::discarded:
        out_ += "null";
        break;
    }
  }

 private:
  template <class Element>
  void container(char open, char close, const json& node, const Element& element) {
    out_ += open;
    bool first = true;
    ++depth_;
    for (auto it = node.begin(); it != node.end(); ++it) {
      if (!first) out_ += indent_ ? "," : ", ";
      first = false;
      line_break();
      element(it);
    }
    --depth_;
    if (!first) line_break();
    out_ += close;
  }
  void line_break() {
    if (!indent_) return;
    out_ += '\n';
    for (int i = 0; i < depth_; ++i) out_ += *indent_;
  }

  const std::optional<std::string>& indent_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string json_text(const json& document, const std::optional<std::string>& indent) {
  Writer writer(indent);
  writer.value(document);
  return writer.take();
}

std::optional<std::string> json_indent() {
  constexpr std::size_t kWidest = 64;
  const auto setting = env("BORG_JSON_INDENT");
  if (!setting) return "    ";
  if (*setting == "none") return std::nullopt;
  const bool number = !setting->empty() && setting->size() < 6 &&
                      std::ranges::all_of(*setting, [](char c) { return c >= '0' && c <= '9'; });
  if (number) return std::string(std::min<std::size_t>(std::stoul(*setting), kWidest), ' ');
  return setting;
}

void write_json(Output& output, const json& document) { output.write(json_text(document, json_indent()) + "\n"); }

void set_text(json& object, std::string_view key, std::string_view text) {
  object[std::string(key)] = replaced(text);
  if (!is_utf8(text)) object[std::string(key) + "_b64"] = base64(text);
}

}  // namespace cairn::cli
