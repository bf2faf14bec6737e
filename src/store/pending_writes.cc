#include "store/pending_writes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <vector>

namespace cairn::store {
namespace {

// Beyond this many files or directories one syncfs is cheaper than so many barriers.
constexpr std::size_t kFew = 64;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Fd open_directory(int base, const std::string& path) {
  return Fd(::openat(base, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int retry_interrupted(auto&& call) {
  int result;
  do result = call();
  while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

void PendingWrites::wrote(const std::string& path, Fd file) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  batch_.directories.insert(parent_of(path));
  if (!batch_.whole) batch_.files.insert_or_assign(path, std::move(file));
  limit();
}

void PendingWrites::removed(const std::string& path) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  batch_.files.erase(path);
  batch_.directories.insert(parent_of(path));
  limit();
}

void PendingWrites::moved(const std::string& from, const std::string& to) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  if (auto node = batch_.files.extract(from)) {
    batch_.files.erase(to);
    node.key() = to;
    batch_.files.insert(std::move(node));
  } else {
    batch_.files.erase(to);  // the file that it replaced
  }
  batch_.directories.insert(parent_of(from));
  batch_.directories.insert(parent_of(to));
  limit();
}

void PendingWrites::changed_directory(const std::string& directory) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  batch_.directories.insert(directory);
  limit();
}

void PendingWrites::limit() {
  if (batch_.files.size() <= kFew && batch_.directories.size() <= kFew) return;
  batch_.whole = true;
  batch_.files.clear();
}

void PendingWrites::reset() {
  const std::scoped_lock lock(sync_mutex_, mutex_);
  failure_.reset();
  batch_ = {};
}

Status PendingWrites::sync(int base, const std::string& base_path) {
  if (!enabled_) return {};
  const std::lock_guard serial(sync_mutex_);
  if (failure_) return fail(failure_->clone());
  Batch batch;
  {
    const std::lock_guard lock(mutex_);
    std::swap(batch, batch_);
  }
  Status status = sync_batch(batch, base, base_path);
  if (!status) failure_ = status.error().clone();
  return status;
}

Status PendingWrites::sync_batch(const Batch& batch, int base, const std::string& base_path) {
  const auto failed = [&](const std::string& path) {
    const std::string shown = path.starts_with('/') ? path : base_path + "/" + path;
    return fail(os_error(errno, shown).at("making written data durable"));
  };
  if (!batch.whole) {
    // All data on its way first: the first fdatasync then commits the journal for all, the others find it done.
    for (const auto& [path, file] : batch.files) ::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
    for (const auto& [path, file] : batch.files) {
      if (retry_interrupted([&] { return ::fdatasync(file.get()); }) != 0) return failed(path);
    }
  }
  std::set<dev_t> synced;  // namespaces may lie on file systems of their own
  if (batch.whole) {
    struct stat facts{};
    if (::fstat(base, &facts) != 0 || retry_interrupted([&] { return ::syncfs(base); }) != 0) return failed("");
    synced.insert(facts.st_dev);
  }
  for (const std::string& path : batch.directories) {
    const Fd directory = open_directory(base, path);
    if (!directory) {
      if (errno == ENOENT) continue;  // gone with what was in it
      return failed(path);
    }
    if (!batch.whole) {
      if (retry_interrupted([&] { return ::fsync(directory.get()); }) != 0) return failed(path);
      continue;
    }
    struct stat facts{};
    if (::fstat(directory.get(), &facts) != 0) return failed(path);
    if (!synced.insert(facts.st_dev).second) continue;
    if (retry_interrupted([&] { return ::syncfs(directory.get()); }) != 0) return failed(path);
  }
  return {};
}

}  // namespace cairn::store
