// A testing aid: a store that fails, dies or is slow at a chosen operation.
//
// Operations are numbered from 1 in the order in which they start. Unless `any` is set, only those that change the
// store count: create, destroy, put, remove, move, sync.
//
// In the whole program the variable CAIRN_TEST_STORE_FAULT chooses one fault; operations are then counted over all
// stores of the process:
//   kill-before:17      SIGKILL instead of the 17th operation
//   kill-after:17       SIGKILL when it is done
//   short:17            SIGKILL in the middle of the 17th, if that is a put: half of the value lies under a temporary
//   name enospc:17  eio:17   it fails with this errno and does nothing eio-after:17        it is done and yet reported
//   as failed count:FILE          writes the number of operations to FILE when a store is closed
// "-any" behind the word ("kill-before-any:17") counts every operation; "+" at the end ("enospc:17+") means from there
// on.
// Threads   all operations.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "store/store.h"

namespace cairn::store {

struct Fault {
  enum class Kind { None, Fail, FailAfter, DieBefore, DieAfter, Short };
  Kind kind = Kind::None;
  std::uint64_t at = 0;            // number of the operation
  bool lasting = false;            // and all later ones
  bool any = false;                // count reads as well
  int error_number = 5;            // of Fail and FailAfter; 5 is EIO
  std::function<void()> die = {};  // may return: the operation then fails with EIO
  Nanoseconds longest_delay = 0;   // every counted operation is delayed by 0 to this much
  std::uint64_t delay_seed = 0;
  std::string count_file = {};  // gets the count when the store is destroyed
};

// A Usage error for a text that is not one of the forms above.
Result<Fault> parse_fault(std::string_view text);

using OperationCounter = std::atomic<std::uint64_t>;
// The counter is shared by the store and the test (or other stores) that reads it.
std::unique_ptr<Store> make_faulty_store(
    std::unique_ptr<Store> inner, Fault fault,
    std::shared_ptr<OperationCounter> counter = std::make_shared<OperationCounter>(),
    const Clock& clock = system_clock());

// The store itself unless CAIRN_TEST_STORE_FAULT is set. A text that does not parse ends the program.
std::unique_ptr<Store> with_faults_from_env(std::unique_ptr<Store> store);

}  // namespace cairn::store
