// Options of `version`. Source: docs/format (cli, section 10.29).
#pragma once

#include "cli/option_table.h"

namespace cairn::cli {

struct VersionOptions {
  bool json = false, from_borg1 = false;
};

extern const Command kVersion;

}  // namespace cairn::cli
