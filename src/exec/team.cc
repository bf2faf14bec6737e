#include "exec/team.h"

#include <algorithm>
#include <atomic>

#include "base/env.h"
#include "exec/delay.h"

namespace cairn::exec {

struct Team::Job {
  std::atomic<std::size_t> next{0};
  std::size_t parts;
  const std::function<void(std::size_t)>* part;
  std::size_t active = 0;  // guarded by the team's mutex

  void work() {
    for (std::size_t i = next.fetch_add(1); i < parts; i = next.fetch_add(1)) (*part)(i);
  }
};

Team::Team(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i) others_.emplace_back([this] { work(); });
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Team::work() const {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closing_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const auto job = std::move(jobs_.front());
    jobs_.pop_front();
    ++job->active;
    lock.unlock();
    hand_over();
    job->work();
    lock.lock();
    if (--job->active == 0) done_.notify_all();
  }
}

void Team::run(std::size_t parts, const std::function<void(std::size_t)>& part) const {
  const auto job = std::make_shared<Job>();
  job->parts = parts;
  job->part = &part;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t wanted = std::min<std::size_t>(parts > 0 ? parts - 1 : 0, others_.size());
    for (std::size_t i = 0; i < wanted; ++i) jobs_.push_back(job);
  }
  work_.notify_all();
  hand_over();
  job->work();
  // Who joins from now on finds no part left and does not touch `part`; who holds one is waited for.
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return job->active == 0; });
}

namespace {
class Never final : public Spare {
 public:
  unsigned helpers() const override { return 0; }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override {
    no_spare().run(parts, part);
  }
};
}  // namespace

Result<std::unique_ptr<Spare>> splitting_from_environment(unsigned threads) {
  const std::string text = env("CAIRN_SPLIT").value_or("");
  if (text.empty() || text == "idle") return nullptr;
  if (text == "never") return std::make_unique<Never>();
  if (text == "always") return std::make_unique<Team>(threads);
  return fail(Code::Usage, "CAIRN_SPLIT must be always, idle or never, but is: '" + text + "'");
}

}  // namespace cairn::exec
