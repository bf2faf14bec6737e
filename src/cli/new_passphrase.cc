#include "cli/new_passphrase.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/log.h"
#include "crypt/passphrase.h"

namespace cairn::cli {
namespace {

// The hex digits tell apart what looks alike on a screen.
void display(Output& output, const crypt::Secret& passphrase) {
  const std::string_view text = passphrase.view();
  output.error_line(fmt::format("Your passphrase (between double-quotes): \"{}\"", text));
  if (std::ranges::any_of(text, [](char c) { return c < ' ' || c > '~'; }))
    output.error_line(fmt::format("Your passphrase (UTF-8 encoding in hex): {}", to_hex(bytes_of(text))));
  output.error_line("Make sure that it is exactly what you wanted, and keep it: without it the data cannot be read.");
}

crypt::Prompt prompt_of(Context& context) {
  return [&](std::string_view prompt) { return context.prompts.passphrase(prompt); };
}

crypt::Say say_of(Context& context) {
  return [&](std::string_view line) { context.output.error_line(line); };
}

void offer_to_display(Context& context, const crypt::Secret& passphrase) {
  if (context.prompts.ask({.variable = "BORG_DISPLAY_PASSPHRASE",
                           .text = "Do you want your passphrase to be displayed for verification? [yN]: ",
                           .retry = true,
                           .denied = ""})) {
    display(context.output, passphrase);
  }
}

}  // namespace

Result<crypt::Secret> ask_new_passphrase(Context& context) {
  CAIRN_TRY(crypt::NewPassphrase chosen, crypt::choose_passphrase(prompt_of(context), say_of(context)));
  if (chosen.was_typed) offer_to_display(context, chosen.passphrase);
  return std::move(chosen.passphrase);
}

Result<crypt::Secret> ask_changed_passphrase(Context& context) {
  CAIRN_TRY(std::optional<crypt::Secret> given, crypt::environment_passphrase(crypt::PassphraseGroup::New));
  if (given) return std::move(*given);
  if (::isatty(STDIN_FILENO) != 0) {
    CAIRN_TRY(crypt::Secret typed, crypt::type_new_passphrase(prompt_of(context), say_of(context)));
    offer_to_display(context, typed);
    return typed;
  }
  CAIRN_TRY(crypt::NewPassphrase chosen, crypt::choose_passphrase(prompt_of(context), say_of(context)));
  if (!chosen.was_typed) {
    log(Level::Warning, "borg.archiver",
        "The passphrase stays what it was: BORG_NEW_PASSPHRASE, BORG_NEW_PASSCOMMAND or BORG_NEW_PASSPHRASE_FD give "
        "another one.");
    context.exit.note(1);
  }
  return std::move(chosen.passphrase);
}

}  // namespace cairn::cli
