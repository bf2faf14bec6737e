#include "cli/program.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/help.h"
#include "cli/json_text.h"
#include "cli/signals.h"
#include "cli/tips.h"
#include "cli/version.h"

namespace cairn::cli {
namespace {

// Scripts parse Borg's line; under Borg's name Cairn gives exactly that.
std::string version_line(const std::string& program) {
  if (program == "borg" || program == "borg2") return fmt::format("borg2 {}\n", kBorgVersion);
  return fmt::format("cairn {} (borg2 {})\n", kCairnVersion, kBorgVersion);
}

// What differs from the built-in defaults, as YAML that --config takes; built-in values too unless `flags` say no.
std::string effective_configuration(const Invocation& invocation, std::string_view flags) {
  const bool with_defaults = flags.find("skip_default") == std::string_view::npos;
  const auto lines = [&](std::string_view section, std::span<const Option> options, std::string_view indent) {
    std::string out;
    for (const Option& option : options) {
      std::vector<std::string> values;
      for (const Setting& setting : invocation.settings)
        if (setting.option == &option && setting.section == section) values.push_back(setting.text);
      if (values.empty() && with_defaults && *option.default_text != 0) values.emplace_back(option.default_text);
      if (values.empty()) continue;
      std::string_view name = long_name(option);
      name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
      out += fmt::format("{}{}: ", indent, name);
      if (option.option_kind == OptionKind::Flag) {
        out += values.back();
      } else if (option.is_repeatable) {
        out += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (i > 0) out += ", ";
          append_json_string(out, values[i]);
        }
        out += ']';
      } else {
        append_json_string(out, values.back());
      }
      out += '\n';
    }
    return out;
  };
  std::string out = lines("", common_options(), "");
  std::string indent = "  ";
  const auto words = split_words(invocation.command->name, ' ');
  std::string heading = fmt::format("{}:\n", words[0]);
  if (words.size() > 1) {
    heading += fmt::format("  {}:\n", words[1]);
    indent = "    ";
  }
  std::string own;
  for (const OptionSet& set : invocation.command->sets) own += lines(invocation.command->name, set.options, indent);
  return own.empty() ? out : out + heading + own;
}

int flushed(Output& output, int exit_code) {
  if (Status status = output.flush(); !status && exit_code == 0) {
    output.error_line(error_line(status.error()));
    return exit_code_of(status.error().code());
  }
  return exit_code;
}

std::string_view severity_word(int exit_code) {
  switch (severity_of(exit_code)) {
    case Severity::Success:
      return "success";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
    case Severity::Signal:
      return "signal";
  }
  return "error";
}

int usage_failure(Output& output, const std::string& program, const UsageError& error) {
  std::string text = usage_error_text(program, error);
  text.pop_back();
  output.error_line(output.error_display(text));
  return 2;
}

Status run_command(const Invocation& invocation, Context& context) {
  for (const RunEntry& entry : run_table())
    if (entry.command == invocation.command) return entry.run(invocation.options.get(), context);
  return fail(Code::Error, fmt::format("the {} command is not there yet.", invocation.command->name));
}

int run(const Invocation& invocation, const std::string& program, std::span<const std::string> words, Output& output) {
  const CommonOptions& common = invocation.common;
  ::umask(static_cast<mode_t>(common.umask) & 0777);
  ExitStatus exit;
  const LogSettings settings = log_settings(common);
  LogWriter writer(output, exit, settings);
  install_log_sink(writer, settings);
  const Units units = common.iec ? Units::Iec : units_from_environment();
  ProgressOutput progress(output, {.enabled = common.progress,
                                   .json = common.log_json,
                                   .updates_per_second = progress_rate_from_environment(),
                                   .units = units});
  Prompts prompts(output, common.log_json);
  Context context{.common = common,
                  .program = program,
                  .words = {words.begin(), words.end()},
                  .output = output,
                  .log = writer,
                  .exit = exit,
                  .progress = progress,
                  .prompts = prompts,
                  .units = units};
  if (common.show_version)
    log(Level::Info, "borg.output.show-version", fmt::format("borgbackup version {}", kBorgVersion));

  bool usage_shown = false;
  if (Status status = run_command(invocation, context); !status) {
    output.show_transient("");
    if (status.error().code() == Code::Usage) {
      usage_failure(output, program, {"", status.error().message()});
      usage_shown = true;
    } else {
      writer.error(status.error());
      if (const auto tip = tip_for(status.error())) say_tip(context, *tip);
    }
    // SIGTERM and SIGHUP end a command as Ctrl-C does, but are told apart by their code.
    const bool by_signal =
        status.error().code() == Code::Interrupted && caught_signal() != 0 && caught_signal() != SIGINT;
    exit.finish_with(by_signal ? 128 + caught_signal() : exit_code_of(status.error().code()));
  }
  const int exit_code = flushed(output, exit.result(legacy_exit_codes()));
  // A usage error ends the reference program before it gets here.
  if (common.show_rc && !usage_shown) {
    const Severity severity = severity_of(exit_code);
    const Level level = severity == Severity::Success   ? Level::Info
                        : severity == Severity::Warning ? Level::Warning
                                                        : Level::Error;
    log(level, "borg.output.show-rc",
        fmt::format("terminating with {} status, rc {}", severity_word(exit_code), exit_code));
  }
  remove_log_sink();
  return exit_code;
}

}  // namespace

int run_program(std::span<const std::string> words, const Surroundings& surroundings, Output& output) {
  const std::string path = words.empty() ? "cairn" : words.front();
  const std::string program = path.substr(path.rfind('/') + 1);
  const Parsed parsed = parse_command_line(words.subspan(words.empty() ? 0 : 1), surroundings);
  if (const auto* usage = std::get_if<UsageError>(&parsed)) return usage_failure(output, program, *usage);
  if (const auto* error = std::get_if<Error>(&parsed)) {
    output.error_line(output.error_display(error_line(*error)));
    return legacy_exit_codes() ? 2 : exit_code_of(error->code());
  }
  const auto& invocation = std::get<Invocation>(parsed);
  switch (invocation.action) {
    case Invocation::Action::Help:
      output.write(help_text(program, invocation.topic, output.out_columns()).value_or(""));
      return flushed(output, 0);
    case Invocation::Action::Version:
      output.write(version_line(program));
      return flushed(output, 0);
    case Invocation::Action::PrintConfig:
      output.write(effective_configuration(invocation, *invocation.program.print_config));
      return flushed(output, 0);
    case Invocation::Action::Run:
      break;
  }
  return run(invocation, program, words, output);
}

}  // namespace cairn::cli
