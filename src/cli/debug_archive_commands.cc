// debug dump-archive and dump-archive-items.
#include <fcntl.h>

#include <cerrno>

#include <fmt/format.h>

#include "archive/item.h"
#include "base/fd.h"
#include "cli/debug_command.h"
#include "cli/json_text.h"
#include "cli/msgpack_json.h"
#include "cli/session.h"
#include "cli/text_file.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

// Standard output, or a file.
class Target {
 public:
  explicit Target(Context& context) : context_(context) {}
  Status open(const std::string& path) {
    path_ = path;
    if (path == "-") return {};
    file_ = Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    return file_ ? Status() : fail(os_error(errno, path));
  }
  Status write(std::string_view text) {
    if (file_) return write_text(file_, path_, text);
    context_.output.write(text);
    return {};
  }
  Status close() {
    if (const int error = file_ ? file_.close() : 0; error != 0) return fail(os_error(error, path_));
    return {};
  }

 private:
  Context& context_;
  std::string path_;
  Fd file_;
};

Result<std::string> indented(Bytes msgpack_map) {
  std::string text = "    ";
  msgpack::Reader reader(msgpack_map);
  CAIRN_CHECKED(append_msgpack_json(text, reader, JsonLayout::Indented, 1));
  return text;
}

std::string entry_of(const archive::ArchiveSummary& archive) {
  std::string text;
  const auto member = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}        \"{}\": {}", text.empty() ? "" : ",\n", name, value);
  };
  const auto quoted = [](std::string_view value) {
    std::string json;
    append_json_string(json, value);
    return json;
  };
  std::string id(1, '\x7f');  // as the document shows byte strings that are no text
  id += archive.id.hex();
  member("id", quoted(id));
  member("name", quoted(archive.name));
  member("time", quoted(archive.time_text));
  member("exists", "true");
  member("username", quoted(archive.username));
  member("hostname", quoted(archive.hostname));
  member("size", fmt::format("{}", archive.size));
  member("nfiles", fmt::format("{}", archive.nfiles));
  member("comment", quoted(archive.comment));
  std::string tags;
  for (const std::string& tag : archive.tags)
    tags += fmt::format("{}            {}", tags.empty() ? "" : ",\n", quoted(tag));
  member("tags", tags.empty() ? "[]" : fmt::format("[\n{}\n        ]", tags));
  return fmt::format("    {{\n{}\n    }}", text);
}

}  // namespace

Status run_debug_dump_archive_items(const DebugDumpArchiveItemsOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(repository, archive.id));
  CAIRN_TRY(const std::vector<ChunkId> ids, ops::item_stream_ids(repository, metadata));
  const auto reader = repository.make_reader();
  Buffer object, plain;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    CAIRN_TRY([[maybe_unused]] const repo::ObjectMeta meta,
              repository.load_object(*reader, ids[i], repo::kAnyType, repo::Verify::Id, object, plain));
    const std::string name = fmt::format("{:06}_{}.items", i, ids[i].hex());
    context.output.write(fmt::format("Dumping {}\n", name));
    CAIRN_CHECKED(write_text_file(name, text_of(plain)));
  }
  context.output.write("Done.\n");
  return repository.close();
}

Status run_debug_dump_archive(const DebugDumpArchiveOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  Buffer object, plain;
  CAIRN_TRY([[maybe_unused]] const repo::ObjectMeta meta,
            repository.load_object(*repository.make_reader(), archive.id, 'A', repo::Verify::Id, object, plain));
  CAIRN_TRY(const archive::Metadata metadata, archive::decode_metadata(plain));
  CAIRN_TRY(const std::string described, indented(plain));

  Target target(context);
  CAIRN_CHECKED(target.open(options.path));
  std::string name;
  append_json_string(name, archive.name);
  CAIRN_CHECKED(target.write(
      fmt::format("{{\n    \"_name\": {},\n    \"_manifest_entry\":\n{},\n    \"_meta\":\n{},\n    \"_items\": [\n",
                  name, entry_of(archive), described)));
  bool first = true;
  const auto write_item = [&](archive::Item&& item) -> Status {
    Buffer encoded;
    archive::encode(item, encoded);
    CAIRN_TRY(const std::string text, indented(encoded));
    CAIRN_CHECKED(target.write(first ? "" : ",\n"));
    first = false;
    return target.write(text);
  };
  CAIRN_CHECKED(ops::for_each_item(repository, *session.pool, metadata, write_item));
  CAIRN_CHECKED(target.write("\n    ]\n}\n"));
  CAIRN_CHECKED(target.close());
  return repository.close();
}

}  // namespace cairn::cli
