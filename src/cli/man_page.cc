#include "cli/man_page.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fd.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/help.h"
#include "cli/help_topics.h"
#include "cli/version.h"

namespace cairn::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return out;
}

std::string page_name(std::string_view name) {
  std::string out = name.empty() ? "cairn" : "cairn-" + std::string(name);
  std::ranges::replace(out, ' ', '-');
  return out;
}

std::string head(const std::string& page, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"cairn {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper(page), kCairnVersion,
                     escaped(page), escaped(summary));
}

std::string section(std::string_view title) { return fmt::format(".SH {}\n", upper(title)); }

std::string body(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    const std::string_view paragraph = text.substr(0, end);
    if (paragraph.starts_with(' '))
      out += fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(paragraph));
    else
      out += fmt::format(".PP\n{}\n", escaped(paragraph));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

std::string options(std::span<const Option> table) {
  std::string out;
  for (const Option& option : table) {
    if (option.is_hidden) continue;
    out += fmt::format(".TP\n\\fB{}\\fR", escaped(option.names));
    if (*option.metavar != 0)
      out += option.option_kind == OptionKind::OptionalValue ? fmt::format(" [\\fI{}\\fR]", escaped(option.metavar))
                                                             : fmt::format(" \\fI{}\\fR", escaped(option.metavar));
    std::string help = option.help;
    if (*option.choice_list != 0) help += fmt::format(": {}", fmt::join(split_words(option.choice_list, '|'), ", "));
    if (option.is_required) help += " (required)";
    if (*option.default_text != 0) help += fmt::format(" (default: {})", option.default_text);
    out += fmt::format("\n{}\n", escaped(help));
  }
  return out;
}

std::string synopsis(std::string_view command) {
  std::string line = usage_line("cairn", command);
  line = line.substr(line.find(' ') + 1);
  return section("synopsis") + escaped(line);
}

std::string see_also(const std::string& pages) { return section("see also") + pages + "\n"; }
std::string reference(const std::string& page) { return fmt::format("\\fB{}\\fR(1)", escaped(page)); }

ManPage command_page(const Command& command) {
  const std::string page = page_name(command.name);
  std::string text =
      head(page, command.summary) + synopsis(command.name) + section("description") + body(command.description);
  if (!command.positionals.empty()) text += section("arguments");
  for (const Positional& positional : command.positionals)
    text += fmt::format(".TP\n\\fI{}\\fR\n{}\n", escaped(positional.name), escaped(positional.help));
  for (const OptionSet& set : command.sets) text += section(set.title) + options(set.options);
  text += section("common options") + fmt::format("See {}.\n", reference("cairn"));
  return {page + ".1", text + see_also(reference("cairn"))};
}

}  // namespace

std::vector<ManPage> man_pages() {
  std::vector<ManPage> pages;
  std::vector<std::string> references;
  std::string list = section("commands");
  for (const Command* command : commands()) {
    if (!command->built) continue;
    pages.push_back(command_page(*command));
    references.push_back(reference(page_name(command->name)));
    list += fmt::format(".TP\n\\fBcairn {}\\fR\n{}\n", escaped(command->name), escaped(command->summary));
  }
  for (const Topic& topic : topics()) {
    const std::string page = page_name(topic.name);
    pages.push_back({page + ".1", head(page, topic.summary) + section("description") + body(topic.text) +
                                      see_also(reference("cairn"))});
    references.push_back(reference(page));
  }
  std::string text = head("cairn", "deduplicating, encrypted backups in Borg 2 repositories") + synopsis("");
  text +=
      section("description") +
      body(
          "Cairn keeps deduplicated, encrypted backups in repositories that Borg 2 can read and write too. It takes "
          "Borg's commands, options and environment variables.");
  text += list + section("common options") + options(common_options()) + section("program options") +
          options(program_options());
  text += section("exit status") +
          body(
              "0: success. 1 and 100 to 127: done, with warnings. 2 to 99: an error. 128 and up: ended by a signal. "
              "See cairn-exit-codes(1).");
  text += see_also(fmt::format("{}", fmt::join(references, ",\n")));
  pages.push_back({"cairn.1", std::move(text)});
  return pages;
}

Status write_man_pages(const std::string& directory) {
  for (const ManPage& page : man_pages()) {
    const std::string path = directory + "/" + page.file_name;
    Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return fail(os_error(errno, path));
    std::string_view rest = page.text;
    while (!rest.empty()) {
      const ssize_t count = ::write(file.get(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(os_error(errno, path));
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    if (const int problem = file.close(); problem != 0) return fail(os_error(problem, path));
  }
  return {};
}

}  // namespace cairn::cli
