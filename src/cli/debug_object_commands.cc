// The debug commands on single objects: dump-repo-objs, search-repo-objs, id-hash, parse-obj, format-obj, get-obj,
// put-obj, delete-obj.
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "cli/debug_command.h"
#include "cli/methods.h"
#include "cli/msgpack_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/text_file.h"
#include "cli/whole_file.h"
#include "ops/object_access.h"

namespace cairn::cli {
namespace {

constexpr std::size_t kSurroundings = 32;  // bytes shown before and behind what was found

// Python's words for what is wrong with it.
Result<ChunkId> parse_id(const std::string& text) {
  const auto bad = [&](const std::string& why) {
    return fail(Code::Command, fmt::format("object id {} is invalid [{}].", text, why));
  };
  if (text.size() % 2 != 0) return bad("Odd-length string");
  std::vector<std::byte> bytes(text.size() / 2);
  if (!from_hex(text, bytes)) return bad("Non-hexadecimal digit found");
  if (bytes.size() != 32) return bad(fmt::format("Expected 32 bytes (64 hex digits), got {} bytes.", bytes.size()));
  return ChunkId::copy(bytes.data());
}

Result<Session> open_with_index(Context& context, repo::LockMode lock) {
  CAIRN_TRY(Session session, open_session(context, lock));
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Salvage, *session.pool));
  return session;
}

ops::ObjectVisitor visitor(std::function<Status(std::size_t, const ChunkId&, Bytes)> visit) {
  return {.visit = std::move(visit),
          .unreadable = [](const Error& error) { log_warning(error); },
          .interrupted = &interrupted()};
}

// "hex:..." or "str:...".
Result<std::string> parse_wanted(const std::string& text) {
  std::string wanted;
  if (text.starts_with("hex:") && text.size() % 2 == 0) {
    wanted.resize((text.size() - 4) / 2);
    if (!from_hex(std::string_view(text).substr(4), std::as_writable_bytes(std::span(wanted)))) wanted.clear();
  } else if (text.starts_with("str:")) {
    wanted = text.substr(4);
  }
  if (wanted.empty()) return fail(Code::Command, "search term needs to be hex:123abc or str:foobar style");
  return wanted;
}

// What was found, with what stands around it, in hexadecimal and as Python shows bytes.
std::string in_context(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t begin = at > kSurroundings ? at - kSurroundings : 0;
  const std::string_view before = text.substr(begin, at - begin);
  const std::string_view found = text.substr(at, length);
  const std::string_view behind = text.substr(at + length, kSurroundings);
  return fmt::format("{} {} {} == {} {} {}", to_hex(bytes_of(before)), to_hex(bytes_of(found)),
                     to_hex(bytes_of(behind)), archive::python_bytes_repr(before), archive::python_bytes_repr(found),
                     archive::python_bytes_repr(behind));
}

// The type that the metadata names; everything else follows from the content.
Result<char> type_of(Bytes json_text, const std::string& path) {
  const auto json = nlohmann::json::parse(text_of(json_text), nullptr, false);
  if (!json.is_object()) return fail(Code::Error, fmt::format("{}: not a JSON object", path));
  const auto type = json.find("type");
  if (type == json.end()) return 'F';
  if (!type->is_string() || type->get_ref<const std::string&>().size() != 1) {
    return fail(Code::Error, fmt::format("{}: the type of an object is one letter", path));
  }
  return type->get_ref<const std::string&>().front();
}

}  // namespace

Status run_debug_dump_objects(const DebugDumpObjectsOptions& /*options*/, Context& context) {
  CAIRN_TRY(Session session, open_with_index(context, repo::LockMode::Shared));
  CAIRN_CHECKED(ops::for_each_object(*session.repository,
                                     visitor([&](std::size_t /*number*/, const ChunkId& id, Bytes plain) -> Status {
                                       const std::string name = fmt::format("{}.obj", id.hex());
                                       context.output.write(fmt::format("Dumping {}\n", name));
                                       return write_text_file(name, text_of(plain));
                                     })));
  context.output.write("Done.\n");
  return session.repository->close();
}

Status run_debug_search_objects(const DebugSearchObjectsOptions& options, Context& context) {
  CAIRN_TRY(const std::string wanted, parse_wanted(options.wanted));
  CAIRN_TRY(Session session, open_with_index(context, repo::LockMode::Shared));
  std::string tail, last_id;  // of the object before
  const auto search = [&](std::size_t number, const ChunkId& id, Bytes plain) -> Status {
    const std::string_view text = text_of(plain);
    // Across the border: it begins in the object before and ends in this one.
    const std::string both = tail + std::string(text.substr(0, wanted.size() - 1 + kSurroundings));
    for (std::size_t at = both.find(wanted); at < tail.size(); at = both.find(wanted, at + 1)) {
      if (at + wanted.size() <= tail.size()) continue;
      context.output.write(
          fmt::format("{} {} | {}: {}\n", number, last_id, id.hex(), in_context(both, at, wanted.size())));
      break;
    }
    std::size_t count = 0;
    for (std::size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size())) {
      ++count;
    }
    if (count > 0) {
      context.output.write(
          fmt::format("{} {} #{}: {}\n", number, id.hex(), count, in_context(text, text.find(wanted), wanted.size())));
    }
    last_id = id.hex();
    const std::size_t kept = std::min(text.size(), wanted.size() - 1 + kSurroundings);
    tail = text.substr(text.size() - kept);
    return {};
  };
  CAIRN_CHECKED(ops::for_each_object(*session.repository, visitor(search)));
  context.output.write("Done.\n");
  return session.repository->close();
}

Status run_debug_id_hash(const DebugIdHashOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const Buffer content, read_whole_file(options.path));
  context.output.write(fmt::format("{}\n", session.repository->id_hash()(content).hex()));
  return session.repository->close();
}

Status run_debug_parse_object(const DebugParseObjectOptions& options, Context& context) {
  CAIRN_TRY(const ChunkId id, parse_id(options.id));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const Buffer object, read_whole_file(options.object_path));
  Buffer plain, encoded;
  auto meta = session.repository->make_reader()->read(object, id, repo::kAnyType, repo::Verify::Envelope, plain);
  if (!meta) {
    return fail(Error(meta.error().code(), fmt::format("Chunk {}: {}", id.hex(), meta.error().message())));
  }
  repo::encode_meta(*meta, encoded);
  std::string json;
  msgpack::Reader reader(encoded);
  CAIRN_CHECKED(append_msgpack_json(json, reader, JsonLayout::OneLine));
  CAIRN_CHECKED(write_text_file(options.json_path, json));
  CAIRN_CHECKED(write_text_file(options.binary_path, text_of(plain)));
  return session.repository->close();
}

Status run_debug_format_object(const DebugFormatObjectOptions& options, Context& context) {
  CAIRN_TRY(const ChunkId id, parse_id(options.id));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(const compress::Spec spec, choose_compression(options.compression, repository));
  CAIRN_TRY(const Buffer content, read_whole_file(options.binary_path));
  CAIRN_TRY(const Buffer metadata, read_whole_file(options.json_path));
  CAIRN_TRY(const char type, type_of(metadata, options.json_path));
  repo::ObjectWriter writer(repository.suite(), repository.material());
  CAIRN_TRY(const std::size_t size, writer.prepare(type, id, content, spec));
  Buffer object(size);
  CAIRN_CHECKED(writer.write(object));
  CAIRN_CHECKED(write_text_file(options.object_path, text_of(object)));
  return repository.close();
}

Status run_debug_get_object(const DebugObjectOptions& options, Context& context) {
  CAIRN_TRY(const ChunkId id, parse_id(options.id));
  CAIRN_TRY(Session session, open_with_index(context, repo::LockMode::Shared));
  Buffer object;
  CAIRN_CHECKED(ops::load_stored_object(*session.repository, id, object));
  CAIRN_CHECKED(write_text_file(options.path, text_of(object)));
  context.output.write(fmt::format("object {} fetched.\n", id.hex()));
  return session.repository->close();
}

Status run_debug_put_object(const DebugObjectOptions& options, Context& context) {
  CAIRN_TRY(const ChunkId id, parse_id(options.id));
  CAIRN_TRY(const Buffer object, read_whole_file(options.path));
  CAIRN_TRY(Session session, open_with_index(context, repo::LockMode::Exclusive));
  CAIRN_CHECKED(ops::put_stored_object(*session.repository, id, object));
  context.output.write(fmt::format("object {} put.\n", id.hex()));
  return session.repository->close();
}

Status run_debug_delete_objects(const DebugDeleteObjectsOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_with_index(context, repo::LockMode::Exclusive));
  std::vector<ChunkId> ids;
  for (const std::string& text : options.ids) {
    if (const auto id = parse_id(text)) ids.push_back(*id);
  }
  CAIRN_TRY(const std::vector<ops::Deletion> results, ops::delete_objects(*session.repository, *session.pool, ids));
  auto result = results.begin();
  for (const std::string& text : options.ids) {
    const auto id = parse_id(text);
    if (!id) {
      context.output.write(fmt::format("object id {} is invalid.\n", context.output.out_text(text)));
      continue;
    }
    switch (*result++) {
      case ops::Deletion::Deleted:
        context.output.write(fmt::format("object {} deleted.\n", id->hex()));
        break;
      case ops::Deletion::NotFound:
        context.output.write(fmt::format("object {} not found.\n", id->hex()));
        break;
      case ops::Deletion::Kept:
        context.output.write(fmt::format("object {} not deleted.\n", id->hex()));
        context.exit.note(1);
        break;
    }
  }
  context.output.write("Done.\n");
  return session.repository->close();
}

}  // namespace cairn::cli
