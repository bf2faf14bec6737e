// BORG_ASSERT_ID: where the id hash of a plaintext is compared with its id on reading, beside check --verify-data.
// Source: docs/format (crypto, section 5.5). Errors: Error, with the valid names.
#pragma once

#include "base/error.h"

namespace cairn::ops {

struct IdChecks {
  bool read = false;
  bool repair = true, transfer = true, rechunk = true;
};
Result<IdChecks> id_checks_from_environment();

}  // namespace cairn::ops
