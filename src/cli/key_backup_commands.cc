// `key export` and `key import`: keys as files, on paper and as a page to print. They are copied without being
// unlocked.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "base/fd.h"
#include "base/log.h"
#include "cli/key_commands.h"
#include "cli/key_page.h"
#include "cli/keyless.h"
#include "cli/text_file.h"
#include "crypt/paper_key.h"
#include "ops/repository_keys.h"
#include "repo/repository.h"

namespace cairn::cli {
namespace {

// In place: the path may be a device or a pipe, which a rename would replace.
Status write_file(const std::string& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return fail(os_error(errno, path));
  CAIRN_CHECKED(write_text(fd, path, text));
  if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
    return fail(os_error(errno, path));
  if (const int error = fd.close(); error != 0) return fail(os_error(error, path));
  return {};
}

Result<std::string> read_to_end(int fd, const std::string& name) {
  constexpr std::size_t kLongest = 1U << 20U;  // a key has less than a thousand bytes
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, name));
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > kLongest) return fail(Code::NotAKeyFile, "");
  }
}

Result<std::string> read_key(const std::string& path) {
  if (path == "-") return read_to_end(STDIN_FILENO, "standard input");
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return fail(Code::Command, fmt::format("input file does not exist: {}", path));
  if (!fd) return fail(os_error(errno, path));
  return read_to_end(fd.get(), path);
}

Result<const repo::KeyEntry*> chosen_key(const std::vector<repo::KeyEntry>& entries, const KeyExportOptions& options) {
  if (entries.size() > 1 && !options.label && !options.key) {
    std::string labels;
    for (const repo::KeyEntry& entry : entries) {
      const bool has_label = entry.blob && entry.blob->has_label;
      labels += fmt::format("{}{}", labels.empty() ? "" : ", ",
                            has_label ? archive::python_repr(std::string_view(entry.blob->label)) : "None");
    }
    return fail(Code::Command, fmt::format("This repository has multiple borg keys ({}); select which one to export "
                                           "with --label or --key (see 'borg key list').",
                                           labels));
  }
  auto index = ops::select_key(entries, {.label = options.label, .id = options.key});
  if (!index) return fail(std::move(index).error().as(Code::Command));
  return &entries[*index];
}

// What was typed, or nothing if the person gives up.
Result<std::optional<std::string>> read_paper_key(Context& context, const RepositoryId& id) {
  crypt::PaperKeyReader reader(id);
  while (!reader.done()) {
    const auto line = context.prompts.line(reader.prompt());
    if (!line) return fail(Code::Error, "the input ended before the paper key was complete");
    if (line->find_first_not_of(" \t") == std::string::npos) {
      if (context.prompts.ask({.text = "Abort import? [yN]:", .denied = ""})) return std::nullopt;
      continue;
    }
    if (auto status = reader.take_line(*line); !status) {
      if (status.error().code() != Code::Error) return std::unexpected<Error>(std::move(status).error());
      context.output.error_line(status.error().message());
    }
  }
  return reader.text();
}

}  // namespace

Status run_key_export(const KeyExportOptions& options, Context& context) {
  CAIRN_TRY(const KeylessRepository repository, open_keyless(context));
  const std::string& location = repository.location.display;
  CAIRN_TRY(const repo::Config config, repo::read_config(*repository.store, location));
  CAIRN_TRY(const auto entries, repo::find_keys(*repository.store, config.id, location));
  CAIRN_TRY(const repo::KeyEntry* entry, chosen_key(entries, options));
  struct stat target{};
  if (options.path && ::stat(options.path->c_str(), &target) == 0 && S_ISDIR(target.st_mode)) {
    return fail(Code::Command, fmt::format("'{}' must be a file, not a directory", *options.path));
  }
  if (!entry->blob) {
    // The copy may be all that is left of it, and a later version may know more.
    log(Level::Warning, "borg.archiver.key_cmds",
        fmt::format("Borg key {} is corrupted (could not be parsed): {} It is exported as it is.",
                    entry->id.substr(0, 12), entry->problem));
  }
  std::string text = entry->text;
  if (options.paper) {
    CAIRN_TRY(text, crypt::paper_key(text, config.id));
  } else if (options.qr_html) {
    CAIRN_TRY(text, key_page(text, config.id, location));
  }
  if (options.path && *options.path != "-") return write_file(*options.path, text);
  context.output.write(text);
  return {};
}

Status run_key_import(const KeyImportOptions& options, Context& context) {
  if (options.paper && options.path) return fail(Code::Command, "with --paper, import from file is not supported");
  if (!options.paper && !options.path) return fail(Code::Command, "expected input file to import the key from");
  CAIRN_TRY(const KeylessRepository repository, open_keyless(context));
  const std::string& location = repository.location.display;
  CAIRN_TRY(const repo::Config config, repo::read_config(*repository.store, location));
  std::string text;
  if (options.paper) {
    CAIRN_TRY(auto typed, read_paper_key(context, config.id));
    if (!typed) {
      context.output.error_line(" - aborted");
      return {};
    }
    text = std::move(*typed);
  } else {
    CAIRN_TRY(text, read_key(*options.path));
  }
  const auto wanted = options.key_location == "keyfile" ? repo::KeyLocation::Keyfile : repo::KeyLocation::Repokey;
  return ops::import_key(*repository.store, config.id, location, text, wanted);
}

}  // namespace cairn::cli
