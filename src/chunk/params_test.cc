// The option string: what Borg 2.0.0b25 accepts and what it says otherwise (asked of its own parser), and the two holes
// that Cairn closes.
#include "chunk/params.h"

#include <gtest/gtest.h>

#include "chunk/cutter.h"

namespace cairn::chunk {
namespace {

std::string accepted(const char* text) {
  const Result<Params> params = parse_params(text);
  return params ? params->text() : "refused: " + params.error().message();
}

std::string refused(const char* text) {
  const Result<Params> params = parse_params(text);
  if (params) return "accepted: " + params->text();
  EXPECT_EQ(params.error().code(), Code::Usage);
  return params.error().message();
}

TEST(Params, AcceptedForms) {
  EXPECT_EQ(accepted("fastcdc,19,23,21,2"), "fastcdc,19,23,21,2");
  EXPECT_EQ(accepted("  FastCDC,19, 23 ,+21,0_2\n"), "fastcdc,19,23,21,2");
  EXPECT_EQ(accepted("fastcdc,6,8,7,6"), "fastcdc,6,8,7,6");
  EXPECT_EQ(accepted("fastcdc,6,23,23,22"), "fastcdc,6,23,23,22");
  EXPECT_EQ(accepted("buzhash64,19,23,21,4095,2"), "buzhash64,19,23,21,4095,2");
  EXPECT_EQ(accepted("buzhash64,6,7,6,0,2"), "buzhash64,6,7,6,0,2");
  EXPECT_EQ(accepted("buzhash64,6,7,6,63,2"), "buzhash64,6,7,6,63,2");
  EXPECT_EQ(accepted("buzhash,19,23,21,4095"), "buzhash,19,23,21,4095");
  EXPECT_EQ(accepted("19,23,21,4095"), "buzhash,19,23,21,4095");
  EXPECT_EQ(accepted(" 19,23,21,4095 "), "buzhash,19,23,21,4095");
  EXPECT_EQ(accepted("toeplitz-aes,19,23,21,2"), "toeplitz-aes,19,23,21,2");
  EXPECT_EQ(accepted("rabin-aes,19,23,21,0"), "rabin-aes,19,23,21,0");
  EXPECT_EQ(accepted("GOLDILOCKS-AES,19,23,21,2"), "goldilocks-aes,19,23,21,2");
  EXPECT_EQ(accepted("fixed,4_096"), "fixed,4096,0");
  EXPECT_EQ(accepted("fixed, +4096 ,-3"), "fixed,4096,-3");
  EXPECT_EQ(accepted("fixed,64 , 1"), "fixed,64,1");
  EXPECT_EQ(accepted("fixed,20971479,20971479"), "fixed,20971479,20971479");
  EXPECT_EQ(accepted("fail,4096,rReE"), "fail,4096,rReE");
}

TEST(Params, DefaultMeansTheFallback) {
  Params fallback;
  fallback.mask_bits = 20;
  EXPECT_EQ(*parse_params("default", fallback), fallback);
  EXPECT_EQ(*parse_params(" DEFAULT ", fallback), fallback);
  EXPECT_EQ(accepted("default"), "fastcdc,19,23,21,2");
  EXPECT_EQ(refused("default,1"), "invalid chunker params");
}

TEST(Params, NeitherNameNorForm) {
  for (const char* text : {"", ",", "nope", "nope,1,2,3,4", "fixed", "fixed,1,2,3", " fixed ,64", "fail,3",
                           "fail,1,2,3", "buzhash,19,23,21", "buzhash,19,23,21,4095,2", "19,23,21", "19, 23,21,4095",
                           "+19,23,21,4095", "1_9,23,21,4095", "19,23,21,x", "19,,21,4095"}) {
    EXPECT_EQ(refused(text), "invalid chunker params") << text;
  }
}

TEST(Params, FieldCountHasTheAlgorithmsSentence) {
  EXPECT_EQ(refused("buzhash64,19,23,21,4095"),
            "buzhash64 chunker params must be: buzhash64,chunk_min,chunk_max,chunk_mask,window_size,nc_level");
  EXPECT_EQ(refused("fastcdc,x,23,21"),
            "fastcdc chunker params must be: fastcdc,chunk_min,chunk_max,chunk_mask,nc_level");
  EXPECT_EQ(refused("rabin-aes,6,8,7"),
            "rabin-aes chunker params must be: rabin-aes,chunk_min,chunk_max,chunk_mask,nc_level");
}

TEST(Params, NotANumber) {
  EXPECT_EQ(refused("fastcdc,19,23,21,x"), "invalid ChunkerParams value: 'fastcdc,19,23,21,x'");
  for (const char* text : {"fixed,4__096", "fixed,_4096", "fixed,4096_", "fixed,", "fixed, ", "fixed,-", "fixed,+-4096",
                           "fixed,0x40", "fixed,4096,", "fail,x,r"}) {
    EXPECT_EQ(refused(text), "invalid ChunkerParams value: '" + std::string(text) + "'") << text;
  }
  EXPECT_EQ(refused("fixed,it's"), "invalid ChunkerParams value: \"fixed,it's\"");
  EXPECT_EQ(refused("fixed,\x1f"
                    "64"),
            "invalid ChunkerParams value: 'fixed,\\x1f64'");
}

TEST(Params, LimitsInBorgsOrder) {
  constexpr const char* a = "required: chunk_min <= chunk_mask <= chunk_max";
  constexpr const char* b = "min. chunk size exponent must not be less than 6 (2^6 = 64B min. chunk size)";
  constexpr const char* c = "max. chunk size exponent must not be more than 23 (2^23 = 8MiB max. chunk size)";
  constexpr const char* d = "required: chunk_min < chunk_max";
  constexpr const char* w = "required: window_size + 2^chunk_min + 1 <= 2^chunk_max";
  constexpr const char* n = "required: 0 <= nc_level and 1 <= chunk_mask - nc_level and chunk_mask + nc_level <= 48";
  constexpr const char* odd = "window_size must be an uneven (odd) number";
  EXPECT_EQ(refused("fastcdc,7,8,9,0"), a);
  EXPECT_EQ(refused("fastcdc,5,4,3,-1"), a);
  EXPECT_EQ(refused("fastcdc,5,24,7,0"), b);
  EXPECT_EQ(refused("fastcdc,-99999999999999999999,24,7,0"), b);
  EXPECT_EQ(refused("fastcdc,6,24,7,-1"), c);
  EXPECT_EQ(refused("fastcdc,6,99999999999999999999,7,-1"), c);
  EXPECT_EQ(refused("fastcdc,7,7,7,-1"), d);
  EXPECT_EQ(refused("fastcdc,6,8,7,-1"), n);
  EXPECT_EQ(refused("fastcdc,6,8,7,7"), n);
  EXPECT_EQ(refused("fastcdc,6,8,7,99999999999999999999"), n);
  EXPECT_EQ(refused("fastcdc,6,23,23,26"), n);
  EXPECT_EQ(refused("buzhash64,6,7,6,64,-1"), w);
  EXPECT_EQ(refused("buzhash64,6,6,6,0,0"), w);
  EXPECT_EQ(refused("buzhash64,6,7,6,99999999999999999999,2"), w);
  EXPECT_EQ(refused("buzhash64,6,7,6,63,6"), n);
  EXPECT_EQ(refused("buzhash,7,8,9,2"), a);
  EXPECT_EQ(refused("buzhash,19,23,21,4094"), odd);
  EXPECT_EQ(refused("19,23,21,4094"), odd);
  EXPECT_EQ(refused("fixed,63"), "block_size must not be less than 64 Bytes");
  EXPECT_EQ(refused("fixed,63,20971480"), "block_size must not be less than 64 Bytes");
  for (const char* text : {"fixed,20971480", "fixed,64,20971480", "fixed,99999999999999999999999999"}) {
    EXPECT_EQ(refused(text), "block_size and header_size must not exceed MAX_DATA_SIZE [20971479]") << text;
  }
}

TEST(Params, HolesInBorgsChecksAreClosed) {
  constexpr const char* w = "required: window_size + 2^chunk_min + 1 <= 2^chunk_max";
  EXPECT_EQ(refused("buzhash,10,12,11,4095"), w);
  EXPECT_EQ(refused("buzhash,6,7,6,-1"), w);
  EXPECT_EQ(refused("buzhash64,6,7,6,-5,2"), w);
}

TEST(Params, LargestChunk) {
  EXPECT_EQ(parse_params("fastcdc,19,23,21,2")->max_chunk(), 8388608U);
  EXPECT_EQ(parse_params("fixed,64,1000")->max_chunk(), 1000U);
  EXPECT_EQ(parse_params("fixed,64,-1")->max_chunk(), 64U);
  EXPECT_EQ(item_stream_params().text(), "fastcdc,15,19,17,2");
}

}  // namespace
}  // namespace cairn::chunk
