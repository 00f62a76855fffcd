// The suites of the tree as plans, also for a device that this machine lacks.
#include "cli/plan.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gpubench {
namespace {

std::set<std::string> families_of(const std::string& config, DeviceKind device, std::size_t cases) {
  Arguments arguments;
  arguments.config = std::string(GPUBENCH_SOURCE_DIR "/configs/") + config;
  const std::vector<PlannedCase> plan = plan_run(arguments, device);
  EXPECT_EQ(plan.size(), cases);
  std::set<std::string> families;
  for (const PlannedCase& planned : plan) {
    EXPECT_EQ(planned.facts.device, device);
    families.emplace(planned.family->name());
  }
  return families;
}

TEST(Suites, the_one_for_gating_has_cases_for_either_kind_of_device) {
  EXPECT_EQ(families_of("ci.json", DeviceKind::cuda, 9),
            (std::set<std::string>{"vector_add", "reduction", "softmax", "matmul"}));
  EXPECT_EQ(families_of("ci.json", DeviceKind::host, 4),
            (std::set<std::string>{"vector_add", "reduction", "matmul"}));
}

}  // namespace
}  // namespace gpubench
