#include "chunk/cutter.h"

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
    case Algorithm::ToeplitzAes:
      return make_toeplitz_aes(params, keys, kernel);
    case Algorithm::RabinAes:
      return make_rabin_aes(params, keys, kernel);
    case Algorithm::GoldilocksAes:
      return make_goldilocks_aes(params, keys, kernel);
    case Algorithm::Fixed:
      return make_fixed(params);
    case Algorithm::Fail:
      return fail(Code::Unsupported, "the fail chunker simulates a broken reader and cuts nothing");
  }
  return fail(Code::Unsupported, "no such chunker");
}

}  // namespace cairn::chunk
