// See the header.
#include "tar/member.h"

#include <ranges>

namespace cairn::tar {

const std::string* find_record(const Member& member, std::string_view keyword) {
  for (const Record& record : member.records | std::views::reverse) {
    if (record.first == keyword) return &record.second;
  }
  return nullptr;
}

}  // namespace cairn::tar
