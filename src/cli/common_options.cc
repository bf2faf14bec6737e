#include "cli/common_options.h"

#include "cli/option_values.h"
#include "cli/spec_values.h"

namespace cairn::cli {
namespace {

template <Level level>
Status set_level(void* target, std::string_view value) {
  CAIRN_TRY(const bool on, parse_bool(value));
  if (on) static_cast<CommonOptions*>(target)->level = level;
  return {};
}

Status set_nothing(void*, std::string_view) { return {}; }

// An empty location counts as not given.
Status set_repo(void* target, std::string_view value) {
  CAIRN_TRY(static_cast<CommonOptions*>(target)->repo, parse_location(value));
  return {};
}

using C = CommonOptions;
constexpr Option kCommon[] = {
    {"-h, --help", "", "show this help and exit", set_nothing, OptionKind::Help},
    flag("--critical", "log level: critical errors only", set_level<Level::Critical>).rivals("log level"),
    flag("--error", "log level: errors", set_level<Level::Error>).rivals("log level"),
    flag("--warning", "log level: warnings and errors (the default)", set_level<Level::Warning>).rivals("log level"),
    flag("--info, -v, --verbose", "log level: also what is being done", set_level<Level::Info>).rivals("log level"),
    flag("--debug", "log level: everything", set_level<Level::Debug>).rivals("log level"),
    value("--debug-topic", "TOPIC", "log this topic in detail (repeatable)", set<&C::debug_topics>).repeatable(),
    flag("-p, --progress", "show progress", set<&C::progress>),
    flag("--log-json", "write one JSON object per line to standard error", set<&C::log_json>),
    value("--lock-wait", "SECONDS", "how long to wait for a lock", set<&C::lock_wait>).defaults("10"),
    flag("--show-version", "log the version", set<&C::show_version>),
    flag("--show-rc", "log the exit code at the end", set<&C::show_rc>),
    value("--umask", "M", "file mode mask of this process, octal", set<&C::umask, parse_octal>).defaults("0077"),
    value("-r, --repo", "REPO", "the repository", set_repo).variable("BORG_REPO"),
    value("--threads", "N", "use N threads instead of one per processor", set<&C::threads, parse_thread_count>)
        .variable("CAIRN_THREADS")
        .exact(),
    value("--rsh", "COMMAND", "ssh command (BORG_RSH)", set<&C::rsh>).hidden(),
    value("--remote-path", "PATH", "program on the remote side (BORG_REMOTE_PATH)", set<&C::remote_path>).hidden(),
    flag("--iec", "sizes in powers of 1024 (BORG_UNITS=iec)", set<&C::iec>).hidden(),
};

using P = ProgramOptions;
constexpr Option kProgram[] = {
    value("--config", "FILE", "read option defaults from this YAML or JSON file", set<&P::config>),
    value("--print_config", "FLAGS", "print the effective configuration and exit", set<&P::print_config>).implies(""),
    {"-V, --version", "", "show the version and exit", set_nothing, OptionKind::Version},
    flag("--cockpit", "accepted for compatibility; shows progress", set<&P::cockpit>).hidden(),
};

}  // namespace

std::span<const Option> common_options() { return kCommon; }
std::span<const Option> program_options() { return kProgram; }

Status check_progress_and_list(const CommonOptions& common, bool list) {
  if (list && common.progress && !common.log_json)
    return fail(Code::Usage, "Options --progress and --list do not play nicely together.");
  return {};
}

}  // namespace cairn::cli
