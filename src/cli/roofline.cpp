#include <string>

#include "base/interrupt.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/results_table.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"

namespace gpubench {

ExitCode command_roofline(const Arguments& arguments) {
  Session session(arguments);
  Progress opening(0, arguments.verbosity);
  session.open(opening);
  Progress progress(core_ceilings(session.device().facts().kind).size(), arguments.verbosity);
  session.measure_ceilings(progress);
  Document& document = session.document();
  if (!session.data_on_standard_output())
    print_output(ceilings_table(document.ceilings, document.device, output_width()));
  session.finish();
  if (interrupted()) return ExitCode::interrupted;
  for (const Ceiling& ceiling : document.ceilings)
    if (ceiling.status == "failed")
      throw Error(ExitCode::failed, ceiling.name + ": " + ceiling.reason.value_or("failed"));
  return ExitCode::ok;
}

}  // namespace gpubench
