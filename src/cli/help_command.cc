#include "cli/help_command.h"

#include <fmt/ranges.h>

#include "cli/help.h"
#include "cli/man_page.h"

namespace cairn::cli {

Status run_help(const HelpOptions& options, Context& context) {
  if (options.manual_directory) return write_man_pages(*options.manual_directory);
  const HelpPart part = options.usage_only    ? HelpPart::UsageAndOptions
                        : options.epilog_only ? HelpPart::Explanation
                                              : HelpPart::Everything;
  const std::string topic = fmt::format("{}", fmt::join(options.topic, " "));
  const auto text = help_text(context.program, topic, context.output.out_columns(), part);
  if (!text) return fail(Code::Usage, unknown_topic_message(topic));
  context.output.write(*text);
  return {};
}

}  // namespace cairn::cli
