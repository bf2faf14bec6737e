#include "cli/new_passphrase.h"

#include <algorithm>

#include <fmt/format.h>

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

}  // namespace

Result<crypt::Secret> ask_new_passphrase(Context& context) {
  CAIRN_TRY(crypt::NewPassphrase chosen,
            crypt::choose_passphrase([&](std::string_view prompt) { return context.prompts.passphrase(prompt); },
                                     [&](std::string_view line) { context.output.error_line(line); }));
  if (chosen.was_typed &&
      context.prompts.ask({.variable = "BORG_DISPLAY_PASSPHRASE",
                           .text = "Do you want your passphrase to be displayed for verification? [yN]: ",
                           .retry = true,
                           .denied = ""})) {
    display(context.output, chosen.passphrase);
  }
  return std::move(chosen.passphrase);
}

}  // namespace cairn::cli
