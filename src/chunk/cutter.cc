#include "chunk/cutter.h"

#include <fmt/format.h>

#include "chunk/cutters.h"

namespace cairn::chunk {

Result<std::unique_ptr<Cutter>> make_cutter(const Params& params, const Keys& keys, std::string_view kernel) {
  CAIRN_CHECKED(check_params(params));
  switch (params.algorithm) {
    case Algorithm::FastCdc:
      return make_fastcdc(params, keys, kernel);
    case Algorithm::Buzhash64:
      return make_buzhash64(params, keys, kernel);
    case Algorithm::Buzhash:
      return make_buzhash(params, keys, kernel);
    case Algorithm::Fixed:
      return make_fixed(params);
    case Algorithm::Fail:
      return fail(Code::Unsupported, "the fail chunker simulates a broken reader and cuts nothing");
    default:
      return fail(Code::Unsupported, fmt::format("chunker {} is not there yet", name_of(params.algorithm)));
  }
}

}  // namespace cairn::chunk
