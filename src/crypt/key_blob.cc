// Text form, unlocking and wrapping of borg keys; see the header.
#include "crypt/key_blob.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "base/log.h"
#include "crypt/aead.h"
#include "crypt/base64.h"
#include "crypt/key_derivation.h"
#include "hash/blake3.h"

namespace cairn::crypt {

namespace {

constexpr std::string_view kMagic = "BORG_KEY ";
constexpr std::size_t kLineWidth = 70;
constexpr std::size_t kMinBody = 20;
constexpr std::array<std::byte, Aead::kNonceSize> kNonce{};  // every blob has a fresh salt, so its key is used once

unsigned processors() { return std::max(1U, std::thread::hardware_concurrency()); }

std::unexpected<Error> wrong_passphrase() {
  return fail(Code::PassphraseWrong,
              "Passphrase supplied in BORG_PASSPHRASE, by BORG_PASSCOMMAND, or via BORG_PASSPHRASE_FD is incorrect.");
}

}  // namespace

std::string key_id(std::string_view text) { return hash::blake3(bytes_of(text)).hex(); }

bool names_repository(std::string_view text, const RepositoryId& repository) {
  return text.starts_with(kMagic) && text.substr(kMagic.size()).starts_with(repository.hex());
}

Status check_key_header(std::string_view text, const RepositoryId& repository) {
  if (!text.starts_with(kMagic)) return fail(Code::NotAKeyFile, "This file is not a Borg key backup, aborting.");
  if (!names_repository(text, repository))
    return fail(Code::RepoIdMismatch, "This key backup seems to be for a different backup repository, aborting.");
  return {};
}

Result<Buffer> key_blob_body(std::string_view text, const RepositoryId& repository) {
  CAIRN_CHECKED(check_key_header(text, repository));
  const std::size_t line_end = text.find('\n');
  Buffer body;
  if (line_end == std::string_view::npos || !decode_base64(text.substr(line_end + 1), body) || body.size() < kMinBody)
    return fail(Code::KeyfileInvalid, "Invalid key data: the body is not base64 of a key.");
  return body;
}

std::string key_blob_text(Bytes body, const RepositoryId& repository) {
  const std::string encoded = encode_base64(body);
  std::string text = std::string(kMagic) + repository.hex() + "\n";
  for (std::size_t at = 0; at < encoded.size(); at += kLineWidth) text += encoded.substr(at, kLineWidth) + "\n";
  return text;
}

Result<KeyBlob> parse_key_blob(std::string_view text, const RepositoryId& repository) {
  CAIRN_TRY(const Buffer body, key_blob_body(text, repository));
  CAIRN_TRY(EncryptedKey encrypted, parse_encrypted_key(body));
  KeyBlob blob;
  blob.text = std::string(text);
  blob.id = key_id(text);
  blob.label = encrypted.label.value_or("");
  blob.has_label = encrypted.label.has_value();
  blob.algorithm = encrypted.algorithm;
  blob.encrypted = std::move(encrypted);
  return blob;
}

Result<KeyMaterial> unlock(const KeyBlob& blob, std::string_view passphrase, const RepositoryId& repository,
                           unsigned threads) {
  const EncryptedKey& encrypted = blob.encrypted;
  if (encrypted.data.size() < Aead::kTagSize) return fail(Code::KeyfileInvalid, "Invalid key data: too short.");
  CAIRN_TRY(hash::Key256 key,
            passphrase_key(passphrase, encrypted.salt, encrypted.costs, threads == 0 ? processors() : threads));
  Aead aead(Cipher::ChaCha20Poly1305);
  const bool keyed = aead.set_key(key, /*sealing=*/false);
  wipe(key);
  if (!keyed) return fail(Code::Internal, "the cipher is not available");
  const Bytes data(encrypted.data);
  Buffer plain(data.size() - Aead::kTagSize);
  keep_out_of_swap(plain);
  const bool fits = aead.open(kNonce, {}, {}, data.subspan(Aead::kTagSize), data.first(Aead::kTagSize), plain);
  auto material = fits ? parse_key(plain, repository) : wrong_passphrase();
  wipe(plain);
  return material;
}

Result<std::string> wrap(const KeyMaterial& material, std::string_view passphrase,
                         std::optional<std::string_view> label) {
  EncryptedKey encrypted;
  if (label) encrypted.label = std::string(*label);
  encrypted.salt.resize(16);
  random_bytes(encrypted.salt);
  CAIRN_TRY(hash::Key256 key, passphrase_key(passphrase, encrypted.salt, encrypted.costs, processors()));
  Aead aead(Cipher::ChaCha20Poly1305);
  const bool keyed = aead.set_key(key, /*sealing=*/true);
  wipe(key);
  Buffer plain;
  write_key(material, plain);
  encrypted.data.resize(Aead::kTagSize + plain.size());
  const MutableBytes data(encrypted.data);
  const bool sealed =
      keyed && aead.seal(kNonce, {}, {}, plain, data.subspan(Aead::kTagSize), data.first(Aead::kTagSize));
  wipe(plain);
  if (!sealed) return fail(Code::Internal, "the key could not be encrypted");
  Buffer body;
  write_encrypted_key(encrypted, body);
  return key_blob_text(body, material.repository_id);
}

Result<Unlocked> unlock_first(std::span<const KeyBlob> candidates, std::string_view passphrase,
                              const RepositoryId& repository) {
  const unsigned at_once = static_cast<unsigned>(std::min<std::size_t>(processors(), candidates.size()));
  const unsigned threads_each = std::max(1U, processors() / std::max(1U, at_once));
  std::vector<std::optional<KeyMaterial>> unlocked(candidates.size());
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> best{candidates.size()};  // later candidates cannot win any more

  const auto work = [&] {
    for (std::size_t i = next++; i < best.load(); i = next++) {
      auto material = unlock(candidates[i], passphrase, repository, threads_each);
      if (!material) {
        if (material.error().code() != Code::PassphraseWrong)
          log(Level::Debug, "borg.crypto.key",
              "Borg key " + candidates[i].id.substr(0, 12) +
                  " could not be loaded, skipping it: " + material.error().text());
        continue;
      }
      unlocked[i] = std::move(*material);
      std::size_t current = best.load();
      while (i < current && !best.compare_exchange_weak(current, i)) {
      }
    }
  };

  std::vector<std::thread> others;
  try {
    for (unsigned t = 1; t < at_once; ++t) others.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads, then; this one works in any case.
  }
  work();
  for (std::thread& thread : others) thread.join();
  const std::size_t winner = best.load();
  if (winner == candidates.size()) return wrong_passphrase();
  return Unlocked{std::move(*unlocked[winner]), winner};
}

}  // namespace cairn::crypt
