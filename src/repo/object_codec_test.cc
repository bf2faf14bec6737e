#include "repo/object_codec.h"

#include "crypt/vectors_test.h"
#include "gtest/gtest.h"

namespace cairn::repo {
namespace {

using crypt::testing::bytes_from_hex;
using crypt::testing::suite_of;
using crypt::testing::vectors;

struct Vector {
  explicit Vector(const nlohmann::json& from)
      : material(crypt::testing::vector_material()),
        suite(suite_of(from)),
        id_hash(suite.id_hash, material.id_key),
        object(bytes_from_hex(from.at("object"))),
        id(*ChunkId::from_hex(from.at("id").get<std::string>())) {}
  crypt::KeyMaterial material;
  crypt::Suite suite;
  hash::IdHash id_hash;
  Buffer object;
  ChunkId id;
};

TEST(ObjectCodec, ReadsEveryVector) {
  ASSERT_FALSE(vectors().at("repo_objects").empty());
  for (const auto& json : vectors().at("repo_objects")) {
    SCOPED_TRACE(json.at("encryption").get<std::string>() + " " + json.at("compression").get<std::string>() + " " +
                 json.at("input").get<std::string>());
    const Vector vector(json);
    ObjectReader reader(vector.suite, vector.material, vector.id_hash);
    Buffer plain;
    const auto& wanted = json.at("meta");
    const auto meta = reader.read(vector.object, vector.id, wanted.at("type").get<std::string>()[0], Verify::Id, plain);
    ASSERT_TRUE(meta) << meta.error().message();
    EXPECT_EQ(vector.id_hash(plain), vector.id);
    if (wanted.contains("size")) {
      EXPECT_EQ(meta->size, wanted.at("size").get<std::uint64_t>());
      EXPECT_EQ(plain.size(), *meta->size);
    } else {
      EXPECT_EQ(meta->size, std::nullopt);
    }
    EXPECT_EQ(meta->facts.ctype, wanted.at("ctype").get<int>());
    EXPECT_EQ(meta->facts.clevel, wanted.at("clevel").get<int>());
    EXPECT_EQ(meta->facts.csize, wanted.at("csize").get<std::uint64_t>());
    EXPECT_EQ(meta->facts.psize.has_value(), wanted.contains("psize"));
    EXPECT_EQ(meta->facts.olevel.has_value(), wanted.contains("olevel"));
    const auto payload = reader.read_payload(vector.object, vector.id);
    ASSERT_TRUE(payload);
    EXPECT_EQ(to_hex(payload->bytes), json.at("compressed").get<std::string>());
    EXPECT_TRUE(reader.authenticate(vector.object, vector.id));
    const auto head = reader.read_head(vector.object);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->header.id, vector.id);
    EXPECT_EQ(head->header.object_size(), vector.object.size());
  }
}

TEST(ObjectCodec, RefusesEveryRejectedVector) {
  ASSERT_FALSE(vectors().at("reject").empty());
  for (const auto& json : vectors().at("reject")) {
    SCOPED_TRACE(json.at("encryption").get<std::string>() + ": " + json.at("what").get<std::string>());
    const Vector vector(json);
    ObjectReader reader(vector.suite, vector.material, vector.id_hash);
    Buffer plain;
    const Verify verify = json.contains("assert_id_place") ? Verify::Id : Verify::Envelope;
    const bool metadata_only = json.contains("api") && json.at("api") == "metadata only";
    Status status;
    if (metadata_only) {
      auto head = reader.read_head(vector.object);
      if (!head) status = fail(std::move(head).error());
    } else {
      auto meta = reader.read(vector.object, vector.id, json.at("ro_type").get<std::string>()[0], verify, plain);
      if (!meta) status = fail(std::move(meta).error());
    }
    if (json.at("error") == "accepted") {
      EXPECT_TRUE(status) << status.error().message();
      continue;
    }
    ASSERT_FALSE(status);
    const Code wanted = json.at("error") == "DecompressionError" ? Code::Decompression : Code::Integrity;
    EXPECT_EQ(status.error().code(), wanted) << status.error().message();
  }
}

TEST(ObjectCodec, WritesWhatItReads) {
  for (const char* suite_name : {"aes256-ocb", "chacha20-poly1305", "authenticated-blake3"}) {
    const crypt::Suite suite = *crypt::find_suite(suite_name, "blake3");
    const crypt::KeyMaterial material = crypt::make_key_material(RepositoryId{});
    const hash::IdHash id_hash(suite.id_hash, material.id_key);
    ObjectWriter writer(suite, material);
    ObjectReader reader(suite, material, id_hash);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{3'000'000}}) {
      const std::string text(size, 'x');
      const ChunkId id = id_hash(bytes_of(text));
      const auto prepared = writer.prepare('F', id, bytes_of(text), compress::Spec{});
      ASSERT_TRUE(prepared);
      Buffer object(*prepared);
      ASSERT_TRUE(writer.write(object));
      Buffer plain;
      ASSERT_TRUE(reader.read(object, id, 'F', Verify::Id, plain, size));
      EXPECT_EQ(text_of(plain), text);
      EXPECT_FALSE(reader.read(object, id, 'F', Verify::Id, plain, size + 1));
      EXPECT_FALSE(reader.read(object, id, 'S', Verify::Id, plain));
      EXPECT_FALSE(reader.authenticate(object, ChunkId{}));
      for (std::size_t at = 0; at < object.size(); at += 1 + object.size() / 97) {
        object.data()[at] ^= std::byte{0x10};
        EXPECT_FALSE(reader.authenticate(object, id)) << at;
        object.data()[at] ^= std::byte{0x10};
      }
    }
  }
}

TEST(ObjectCodec, RefusesObjectsAboveTheLimit) {
  const crypt::Suite suite = *crypt::find_suite("aes256-ocb", "blake3");
  const crypt::KeyMaterial material = crypt::make_key_material(RepositoryId{});
  ObjectWriter writer(suite, material);
  const Buffer payload(kMaxObjectSize);
  EXPECT_FALSE(writer.prepare(ChunkId{}, ObjectMeta{.type = 'F', .size = 1, .facts = {}}, payload));
}

}  // namespace
}  // namespace cairn::repo
