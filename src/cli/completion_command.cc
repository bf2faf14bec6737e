#include "cli/completion_command.h"

#include "cli/completion.h"

namespace cairn::cli {

Status run_completion(const CompletionOptions& options, Context& context) {
  context.output.write(completion_script(options.shell, completed_program(context.program)));
  return {};
}

}  // namespace cairn::cli
