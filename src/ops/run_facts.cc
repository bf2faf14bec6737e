#include "ops/run_facts.h"

#include <unistd.h>

#include <string>

#include "archive/time.h"

namespace cairn::ops {

void set_run_facts(archive::Metadata& metadata, Nanoseconds start, Nanoseconds end) {
  std::string cwd(4096, '\0');
  if (::getcwd(cwd.data(), cwd.size()) != nullptr) metadata.cwd = cwd.c_str();
  metadata.start = archive::iso_utc(start);
  metadata.end = archive::iso_utc(end);
}

}  // namespace cairn::ops
