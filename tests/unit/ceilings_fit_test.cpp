#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "document/document.hpp"

namespace gpubench {
namespace {

TEST(Ceilings, of_a_host_fit_the_same_machine) {
  Ceiling ceiling;
  ceiling.name = "fp32_fma";
  ceiling.unit = "flop/s";
  ceiling.value = 1e12;
  Document document;
  document.ceilings = {ceiling};
  document.device.kind = DeviceKind::host;
  document.device.name = "a cpu";
  document.device.multiprocessors = 8;
  document.host.cpu = "a cpu";
  document.host.name = "here";
  const auto refusal = [](const Document& d, const DeviceFacts& device, const HostFacts& host) {
    try {
      check_ceilings_fit(d, device, host);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::not_comparable);
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const auto with = [&](auto change) {
    Document changed = document;
    change(changed);
    return refusal(changed, document.device, document.host);
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_EQ(with([](Document&) {}), "accepted");
  EXPECT_TRUE(has(with([](Document& d) { d.device.name = "another"; }), "device another"));
  EXPECT_TRUE(has(with([](Document& d) { d.device.multiprocessors = 4; }),
                  "a number of processors of 4, and this is 8"));
  EXPECT_TRUE(has(with([](Document& d) { d.device.l2_bytes = 4; }), "a last-level cache in bytes"));
  EXPECT_TRUE(has(with([](Document& d) { d.host.cpu = "older"; }), "processor older"));
  EXPECT_TRUE(has(with([](Document& d) { d.host.name = "there"; }), "host name there"));
  EXPECT_TRUE(has(with([](Document& d) { d.ceilings.clear(); }), "has no ceilings"));
  EXPECT_TRUE(
      has(with([](Document& d) { d.status = Document::Status::interrupted; }), "interrupted"));
  EXPECT_TRUE(has(with([](Document& d) {
                    for (Ceiling& c : d.ceilings) c.status = "failed";
                  }),
                  "status ok"));
  for (const char* name : {"fp32_fma", "fp32_fma_zeros"})
    EXPECT_TRUE(has(with([&](Document& d) {
                      d.ceilings[0].name = name;
                      d.ceilings[0].unit = "byte/s";
                    }),
                    std::string(name) + " is in byte/s, and this gpubench measures it in flop/s"));
  EXPECT_EQ(with([](Document& d) {
              d.ceilings[0].name = "of_another_version";
              d.ceilings[0].unit = "s";
            }),
            "accepted");
}

}  // namespace
}  // namespace gpubench
