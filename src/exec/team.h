// Threads that do nothing but split: every input is divided among all of them, whether or not anybody is idle.
//
// This is how programs without a scheduler of their own use threads, and Cairn's normal rule (Worker::spare) is better.
// It is here so that anybody can measure that (bench/threads); CAIRN_SPLIT=always turns it on.
//
// Threads   as every Spare. Team(n) starts n - 1 threads at once; they park when there is nothing to do.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "exec/spare.h"

namespace cairn::exec {

class Team final : public Spare {
 public:
  explicit Team(unsigned threads);
  ~Team() override;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned helpers() const override { return static_cast<unsigned>(others_.size()); }
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override;

 private:
  struct Job;
  void work() const;

  mutable std::mutex mutex_;
  mutable std::condition_variable work_, done_;
  mutable std::deque<std::shared_ptr<Job>> jobs_;  // each once for every thread that may join it
  bool closing_ = false;
  std::vector<std::thread> others_;
};

// CAIRN_SPLIT: "always" gives a Team, "never" something that never splits, "idle" or nothing a null pointer, which
// means the pool's own rule. Errors are Usage.
Result<std::unique_ptr<Spare>> splitting_from_environment(unsigned threads);

}  // namespace cairn::exec
