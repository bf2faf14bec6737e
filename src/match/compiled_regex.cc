#include "match/compiled_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"

namespace cairn::match {
namespace {

struct Free {
  void operator()(pcre2_code* p) const { pcre2_code_free(p); }
  void operator()(pcre2_match_data* p) const { pcre2_match_data_free(p); }
  void operator()(pcre2_match_context* p) const { pcre2_match_context_free(p); }
  void operator()(pcre2_compile_context* p) const { pcre2_compile_context_free(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// Steps of backtracking before the breadth-first matcher takes over: some milliseconds.
constexpr std::uint32_t kPatience = 200'000;

// Only whether there is a match matters, so one pair of offsets is enough for every pattern. The data is scratch space
// of a thread, like its stack; it holds nothing between two calls.
pcre2_match_data* scratch_of_this_thread() {
  thread_local const Owned<pcre2_match_data> data(pcre2_match_data_create(1, nullptr));
  CAIRN_CHECK(data != nullptr, "out of memory");
  return data.get();
}

}  // namespace

struct CompiledRegex::State {
  Owned<pcre2_code> code;
  Owned<pcre2_match_context> context;
  bool machine_code = false;
};

CompiledRegex::CompiledRegex(std::unique_ptr<State> state) : state_(std::move(state)) {}
CompiledRegex::CompiledRegex(CompiledRegex&&) noexcept = default;
CompiledRegex& CompiledRegex::operator=(CompiledRegex&&) noexcept = default;
CompiledRegex::~CompiledRegex() = default;

Result<CompiledRegex> CompiledRegex::compile(std::string_view utf8, const Options& options) {
  std::uint32_t flags = PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_NEVER_BACKSLASH_C;
  if (options.unicode_classes) flags |= PCRE2_UCP;
  if (options.anchored) flags |= PCRE2_ANCHORED;
  if (options.dot_is_all) flags |= PCRE2_DOTALL;
  if (options.ends_at_end) flags |= PCRE2_ENDANCHORED;
  const Owned<pcre2_compile_context> compile_context(pcre2_compile_context_create(nullptr));
  auto state = std::make_unique<State>();
  state->context.reset(pcre2_match_context_create(nullptr));
  CAIRN_CHECK(compile_context && state->context, "out of memory");
  pcre2_set_newline(compile_context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  std::size_t offset = 0;
  state->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(utf8.data()), utf8.size(), flags, &error, &offset,
                                  compile_context.get()));
  if (!state->code) {
    std::array<unsigned char, 256> text{};
    pcre2_get_error_message(error, text.data(), text.size());
    return fail(Code::Error, fmt::format("{} (at {})", reinterpret_cast<const char*>(text.data()), offset));
  }
  pcre2_set_match_limit(state->context.get(), kPatience);
  state->machine_code = pcre2_jit_compile(state->code.get(), PCRE2_JIT_COMPLETE) == 0;
  return CompiledRegex(std::move(state));
}

bool CompiledRegex::search(std::string_view utf8) const {
  const auto* subject = reinterpret_cast<PCRE2_SPTR>(utf8.data());
  pcre2_match_data* data = scratch_of_this_thread();
  int result =
      pcre2_match(state_->code.get(), subject, utf8.size(), 0, PCRE2_NO_UTF_CHECK, data, state_->context.get());
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
    result = pcre2_match(state_->code.get(), subject, utf8.size(), 0, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data,
                         state_->context.get());
  }
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  std::vector<int> workspace(4096);
  result = pcre2_dfa_match(state_->code.get(), subject, utf8.size(), 0, PCRE2_NO_UTF_CHECK, data, nullptr,
                           workspace.data(), workspace.size());
  return result >= 0;
}

}  // namespace cairn::match
