#include "store/location.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/env.h"
#include "base/normalized_path.h"
#include "store/faulty.h"
#include "store/posix.h"

namespace cairn::store {
namespace {

constexpr std::string_view kSchemes[] = {"file", "ssh", "sftp", "http", "https", "s3", "b2", "rclone"};

std::string_view expected_form(LocationKind kind) {
  switch (kind) {
    case LocationKind::Local:
      return "file:///path/to/repo";
    case LocationKind::Ssh:
      return "ssh://[user@]host[:port]/path/to/repo (path relative to the remote directory ssh logs into) or "
             "ssh://[user@]host[:port]//path/to/repo (absolute path)";
    case LocationKind::Sftp:
      return "sftp://[user@]host[:port]/path/to/repo";
    case LocationKind::Http:
      return "http://[user:password@]host[:port]/[path/]";
    case LocationKind::Https:
      return "https://[user:password@]host[:port]/[path/]";
    case LocationKind::S3:
      return "s3:[profile@|key:secret@][scheme://host[:port]]/bucket/path";
    case LocationKind::B2:
      return "b2:[profile@|key:secret@][scheme://host[:port]]/bucket/path";
    case LocationKind::Rclone:
      return "rclone:remote:path";
  }
  return "";
}

// A text that may hold a password, made fit for a message even if it is malformed.
std::string without_anything_secret(std::string_view scheme, std::string_view rest) {
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos) return fmt::format("{}:{}", scheme, rest);
  return fmt::format("{}:...@{}", scheme, rest.substr(at + 1));
}

std::unexpected<Error> malformed(LocationKind kind, std::string_view rest) {
  const std::string_view scheme = scheme_of(kind);
  const bool plain = kind == LocationKind::Local || kind == LocationKind::Rclone;
  return fail(Code::Usage,
              fmt::format("Invalid location format: \"{}\". Expected: {}",
                          plain ? fmt::format("{}:{}", scheme, rest) : without_anything_secret(scheme, rest),
                          expected_form(kind)));
}

Result<Location> local(std::string path) {
  return Location{.kind = LocationKind::Local, .path = path, .verbatim = path, .display = path, .canonical = path};
}

struct Authority {
  std::string_view user, host;
  std::optional<std::uint16_t> port;
};

// [user@]host[:port], the host a name, an IPv4 address or an IPv6 address in brackets.
std::optional<Authority> parse_authority(std::string_view text) {
  Authority out;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    out.user = text.substr(0, at);
    text.remove_prefix(at + 1);
    if (out.user.empty() || out.user.find(':') != std::string_view::npos) return std::nullopt;
  }
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    out.host = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    if (out.host.find_first_not_of("0123456789abcdefABCDEF:.%") != std::string_view::npos) return std::nullopt;
  } else {
    out.host = text.substr(0, text.find(':'));
    text.remove_prefix(out.host.size());
    if (out.host.find_first_of("@[] ") != std::string_view::npos) return std::nullopt;
    // ssh would take such a host for an option.
    if (out.host.starts_with('-')) return std::nullopt;
  }
  if (out.host.empty()) return std::nullopt;
  if (text.empty()) return out;
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  out.port = port;
  return out;
}

Result<Location> parse_ssh(std::string_view rest) {
  if (!rest.starts_with("//")) return malformed(LocationKind::Ssh, rest);
  const std::string_view body = rest.substr(2);
  const std::size_t slash = body.find('/');
  if (slash == std::string_view::npos) return malformed(LocationKind::Ssh, rest);
  const std::optional<Authority> authority = parse_authority(body.substr(0, slash));
  const std::string_view given = body.substr(slash + 1);
  if (!authority || given.empty()) return malformed(LocationKind::Ssh, rest);
  const std::string path = normalized_path(given, 1);  // "." is the login directory
  const bool v6 = authority->host.find(':') != std::string_view::npos;
  std::string url = fmt::format("ssh://{}{}{}{}{}", authority->user, authority->user.empty() ? "" : "@", v6 ? "[" : "",
                                authority->host, v6 ? "]" : "");
  if (authority->port) url += fmt::format(":{}", *authority->port);
  url += '/';
  url += path;
  return Location{.kind = LocationKind::Ssh,
                  .path = path,
                  .user = std::string(authority->user),
                  .host = std::string(authority->host),
                  .port = authority->port,
                  .verbatim = url,
                  .display = url,
                  .canonical = url};
}

// The others belong to their backends; only what must be there for any of them is looked at here.
Result<Location> parse_remote(LocationKind kind, std::string_view rest) {
  const std::string_view scheme = scheme_of(kind);
  std::string_view shown = rest;
  std::string_view lead;
  if (kind == LocationKind::S3 || kind == LocationKind::B2) {
    const bool bare = rest.starts_with('/') || rest.starts_with("http://") || rest.starts_with("https://");
    if (const std::size_t at = rest.find('@'); !bare && at != std::string_view::npos) shown.remove_prefix(at + 1);
    if (shown.find('/') == std::string_view::npos) return malformed(kind, rest);
  } else if (kind == LocationKind::Rclone) {
    if (rest.empty()) return malformed(kind, rest);
  } else {
    if (!rest.starts_with("//")) return malformed(kind, rest);
    lead = "//";
    shown.remove_prefix(2);
    const std::string_view authority = shown.substr(0, shown.find('/'));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) shown.remove_prefix(at + 1);
    if (shown.empty() || shown.starts_with('/') || shown.starts_with(':')) return malformed(kind, rest);
  }
  const std::string display = fmt::format("{}:{}{}", scheme, lead, shown);
  return Location{
      .kind = kind, .verbatim = fmt::format("{}:{}", scheme, rest), .display = display, .canonical = display};
}

}  // namespace

std::string_view scheme_of(LocationKind kind) { return kSchemes[static_cast<std::size_t>(kind)]; }

Result<Location> parse_location(std::string_view text, const std::optional<std::string>& directory) {
  if (text.empty()) return fail(Code::Usage, "Invalid location format: an empty text names no repository.");
  if (text.find('\0') != std::string_view::npos) return fail(Code::Usage, "Invalid location format: a zero byte.");
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view scheme = text.substr(0, colon);
    const std::string_view rest = text.substr(colon + 1);
    if (scheme == "rest") {
      return fail(
          Code::Usage,
          "Invalid location format: rest: is no scheme any more. Use http:// or https:// for a REST server, ssh:// "
          "for a remote host, or ./rest:... for a local path of that name.");
    }
    for (std::size_t i = 0; i < std::size(kSchemes); ++i) {
      if (scheme != kSchemes[i]) continue;
      const auto kind = static_cast<LocationKind>(i);
      if (kind == LocationKind::Ssh) return parse_ssh(rest);
      if (kind != LocationKind::Local) return parse_remote(kind, rest);
      const std::string path = rest.starts_with("///") ? normalized_path(rest.substr(2), 1) : "";
      if (path.size() < 2) return malformed(kind, rest);
      return local(path);
    }
  }
  if (text.starts_with("//") && !text.starts_with("///")) {
    return fail(Code::Usage,
                fmt::format("UNC paths are not supported: \"{}\". Mount the share and use the mounted path "
                            "instead.",
                            text));
  }
  if (text.starts_with('/')) return local(normalized_path(text, 1));
  std::string base;
  if (directory) {
    base = *directory;
  } else {
    std::error_code error;
    base = std::filesystem::current_path(error);
    if (error) return fail(os_error(error.value(), "."));
  }
  return local(normalized_path(fmt::format("{}/{}", base, text), 1));
}

StoreOptions StoreOptions::from_env() {
  return {.permissions = env("BORG_REPO_PERMISSIONS").value_or(""), .durable = env("CAIRN_FSYNC") != "no"};
}

Result<std::unique_ptr<Store>> open_store(const Location& location, const StoreOptions& options) {
  if (location.kind != LocationKind::Local) {
    return fail(Code::Unsupported, fmt::format("{}: repositories are not there yet", scheme_of(location.kind)));
  }
  CAIRN_TRY(const Permissions permissions, Permissions::preset(options.permissions));
  return with_faults_from_env(make_posix_store(
      location.path, {.permissions = permissions, .durable = options.durable, .quota_limit = options.quota_limit}));
}

}  // namespace cairn::store
