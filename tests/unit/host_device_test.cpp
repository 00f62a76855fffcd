#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/simd.hpp"
#include "device/devices.hpp"
#include "device/host/core_clock.hpp"
#include "device/host/micro_kernel.hpp"
#include "device/host/system.hpp"
#include "device/host/team.hpp"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

// Another machine's /proc and /sys.
class HostSystem : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() /
            ("gpubench-" + std::string(test->name()) + "-" + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void put_cache(int cpu, int index, int level, const std::string& type, const std::string& size,
                 const std::string& sharers) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index" +
                               std::to_string(index) + "/";
    put(folder + "level", std::to_string(level) + "\n");
    put(folder + "type", type + "\n");
    put(folder + "size", size + "\n");
    put(folder + "shared_cpu_list", sharers + "\n");
  }
  host::System system() const { return host::System(root_); }

  fs::path root_;
};

TEST_F(HostSystem, SaysNothingOfAMachineThatSaysNothing) {
  EXPECT_EQ(system().cpu_name(), "unknown processor");
  EXPECT_EQ(system().one_per_core({0, 1, 5}), (std::vector<int>{0, 1, 5}));
  EXPECT_FALSE(system().caches({0}).last_level_bytes);
  EXPECT_FALSE(system().caches({0}).l1_bytes);
  EXPECT_FALSE(system().max_clock_hz(0));
  EXPECT_FALSE(system().cpu_quota());
  EXPECT_FALSE(system().package_temperature_c());
  EXPECT_TRUE(system().energy_counters().empty());
}

TEST_F(HostSystem, ReadsTheNameOfX86AndOfArm) {
  put("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2.0GHz\n");
  EXPECT_EQ(system().cpu_name(), "Some CPU @ 2.0GHz");
  put("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  EXPECT_EQ(system().cpu_name(), "Arm processor (implementer 0x41, part 0xd40)");
}

TEST_F(HostSystem, TakesOneProcessorOfEachCore) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    put(folder + "physical_package_id", "0\n");
    put(folder + "core_id", std::to_string(cpu % 2) + "\n");
  }
  EXPECT_EQ(system().one_per_core({0, 1, 2, 3}), (std::vector<int>{0, 1}));
  EXPECT_EQ(system().one_per_core({2, 3}), (std::vector<int>{2, 3}));
}

TEST_F(HostSystem, AddsUpTheCachesThatTheProcessorsShare) {
  for (int cpu = 0; cpu < 4; ++cpu) {
    put_cache(cpu, 0, 1, "Data", "32K", std::to_string(cpu));
    put_cache(cpu, 1, 1, "Instruction", "32K", std::to_string(cpu));
    put_cache(cpu, 2, 2, "Unified", "1024K", std::to_string(cpu));
    put_cache(cpu, 3, 3, "Unified", "32M", cpu < 2 ? "0-1" : "2-3");
  }
  const auto all = system().caches({0, 1, 2, 3});
  EXPECT_EQ(all.last_level_bytes, std::int64_t{64} << 20);
  EXPECT_EQ(all.inner_bytes, std::int64_t{4} << 20);
  EXPECT_EQ(all.l1_bytes, std::int64_t{128} << 10);  // of data alone
  EXPECT_EQ(system().caches({0, 1}).last_level_bytes, std::int64_t{32} << 20);
}

TEST_F(HostSystem, HonoursControlGroupsOfVersion2) {
  put("proc/self/cgroup", "0::/outer/inner\n");
  put("proc/meminfo", "MemTotal: 16000 kB\nMemFree: 1 kB\nMemAvailable: 12000 kB\n");
  put("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  put("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  EXPECT_EQ(system().memory_bytes(), 16000 * 1024);
  EXPECT_EQ(system().free_bytes(), 12000 * 1024);
  EXPECT_FALSE(system().cpu_quota());
  put("sys/fs/cgroup/outer/memory.max", "4096000\n");
  put("sys/fs/cgroup/outer/memory.current", "3000000\n");
  put("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 1000000\n");
  put("sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
  EXPECT_EQ(system().memory_bytes(), 4096000);
  EXPECT_EQ(system().free_bytes(), 2096000);
  EXPECT_EQ(system().cpu_quota(), 2.5);
}

TEST_F(HostSystem, HonoursControlGroupsOfVersion1) {
  put("proc/self/cgroup", "4:memory:/box\n1:cpu,cpuacct:/not/mounted\n");
  put("proc/meminfo", "MemTotal: 16000 kB\nMemAvailable: 12000 kB\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1000000\n");
  put("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "1500000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(system().memory_bytes(), 1000000);
  EXPECT_EQ(system().free_bytes(), 0);
  EXPECT_EQ(system().cpu_quota(), 1.5);
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_FALSE(system().cpu_quota());
}

TEST_F(HostSystem, ReadsClocksTemperatureAndPackageEnergy) {
  put("sys/devices/system/cpu/cpu3/cpufreq/cpuinfo_max_freq", "3700000\n");
  put("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "2500000\n");
  put("sys/class/thermal/thermal_zone0/type", "acpitz\n");
  put("sys/class/thermal/thermal_zone1/type", "x86_pkg_temp\n");
  put("sys/class/thermal/thermal_zone1/temp", "41500\n");
  for (const char* zone : {"intel-rapl:0", "intel-rapl:0:1", "intel-rapl"}) {
    put(std::string("sys/class/powercap/") + zone + "/energy_uj", "2000000\n");
    put(std::string("sys/class/powercap/") + zone + "/max_energy_range_uj", "8000000\n");
  }
  EXPECT_EQ(system().max_clock_hz(3), 3.7e9);
  EXPECT_EQ(system().current_clock_hz(3), 2.5e9);
  EXPECT_EQ(system().package_temperature_c(), 41.5);
  ASSERT_EQ(system().energy_counters().size(), 1u);
  EXPECT_DOUBLE_EQ(system().energy_counters()[0].joules, 2.0);
  EXPECT_DOUBLE_EQ(system().energy_counters()[0].wrap_joules, 8.0);
}

TEST(HostTeam, PartsCoverEverythingOnceInOrder) {
  for (const std::int64_t n : {0, 1, 15, 16, 17, 1000, 4096}) {
    for (int members = 1; members <= 7; ++members) {
      std::int64_t at = 0;
      for (int member = 0; member < members; ++member) {
        const host::Range range = host::part(n, 16, member, members);
        EXPECT_EQ(range.begin, at);
        EXPECT_GE(range.size(), 0);
        EXPECT_TRUE(range.begin % 16 == 0 || range.begin == n);
        at = range.end;
      }
      EXPECT_EQ(at, n);
    }
  }
}

TEST(HostTeam, LeavesTheCallingThreadWhereItWas) {
  // What a thread started now inherits.
  const auto inherited = [] {
    std::vector<int> cpus;
    std::thread([&cpus] {
      cpu_set_t mask;
      if (sched_getaffinity(0, sizeof mask, &mask) != 0) return;
      for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
    }).join();
    return cpus;
  };
  const auto before = inherited();
  { const host::PinnedTeam team(host::allowed_cpus()); }
  EXPECT_EQ(inherited(), before);
}

TEST(HostDevice, StatesItsFacts) {
  const auto device = open_host_device();
  const DeviceFacts& facts = device->facts();
  EXPECT_EQ(facts.kind, DeviceKind::host);
  EXPECT_EQ(facts.id, "host");
  EXPECT_FALSE(facts.name.empty());
  EXPECT_GE(facts.multiprocessors.value_or(0), 1);
  EXPECT_GT(facts.memory_bytes, 0);
  EXPECT_TRUE(facts.vector_unit == "avx512" || facts.vector_unit == "avx2" ||
              facts.vector_unit == "generic");
  EXPECT_GT(device->free_bytes(), 0u);
}

TEST(HostDevice, AllocatesPageAlignedMemoryAndMovesIt) {
  const auto device = open_host_device();
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{12345}, std::size_t{9} << 20}) {
    const Memory memory = device->allocate(bytes);
    ASSERT_NE(memory.data(), nullptr);
    EXPECT_EQ(memory.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096, 0u);
    device->fill(memory.data(), 0xab, bytes);
    std::vector<unsigned char> copy(bytes, 0);
    device->copy_to_host(copy.data(), memory.data(), bytes);
    EXPECT_EQ(copy, std::vector<unsigned char>(bytes, 0xab));
    const std::vector<unsigned char> other(bytes, 0x11);
    device->copy_from_host(memory.data(), other.data(), bytes);
    device->copy_to_host(copy.data(), memory.data(), bytes);
    EXPECT_EQ(copy, other);
  }
}

TEST(HostDevice, RefusesWhatDoesNotFitAndSaysHowMuchIsThere) {
  const auto device = open_host_device();
  try {
    (void)device->allocate(std::size_t{1} << 55);
    FAIL() << "allocated 32 PiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    EXPECT_NE(std::string(error.what()).find("32768 TiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("free"), std::string::npos) << error.what();
  }
}

TEST(HostDevice, GeneratesTheSameElementsAsTheGenerator) {
  const auto device = open_host_device();
  const std::int64_t count = 10007;
  for (const Pattern pattern : {Pattern::uniform, Pattern::integers, Pattern::constant,
                                Pattern::outlier, Pattern::infinite_rows}) {
    for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      const Generator generator{
          .pattern = pattern, .seed = 9, .buffer = 2, .scale = 3.0f, .row_length = 37};
      const Memory memory = device->allocate(static_cast<std::size_t>(count) * size_of(type));
      device->generate(memory.data(), type, count, generator);
      for (std::int64_t i = 0; i < count; ++i)
        ASSERT_EQ(load(type, memory.data(), static_cast<std::size_t>(i)),
                  round_to(type, static_cast<double>(element(generator, i))))
            << i;
    }
  }
}

TEST(HostDevice, TimesTheLaunchesItMakes) {
  const auto device = open_host_device();
  int launches = 0;
  const auto launch = [&launches](Stream) {
    ++launches;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  const auto timer = device->timer(launch, {.launches_per_sample = 3});
  EXPECT_EQ(timer->clock(), "steady_clock");
  EXPECT_EQ(launches, 0);
  const auto samples = timer->run(4);
  EXPECT_EQ(launches, 12);
  ASSERT_EQ(samples.size(), 4u);
  for (const Sample& sample : samples) EXPECT_GE(sample.seconds_per_launch, 0.002);
  launches = 0;
  const auto cold = device->timer(launch, {.cache = CacheMode::cold})->run(2);
  EXPECT_EQ(launches, 2);
  for (const Sample& sample : cold) EXPECT_GE(sample.seconds_per_launch, 0.002);
}

TEST(HostDevice, MeasuresAPlausibleCoreClockOrNone) {
  const auto clock = host::core_clock_hz();
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
  ASSERT_TRUE(clock);
#endif
  if (clock) {
    EXPECT_GE(*clock, 0.5e9);
    EXPECT_LE(*clock, 7e9);
  }
}

TEST(HostSimd, ExponentialIsWithinTwoUnitsInTheLastPlace) {
  const float floor = simd::exp_floor();
  for (int i = 0; i <= 1100000; ++i) {
    const float x = -1e-4f * static_cast<float>(i);
    const double exact = std::exp(static_cast<double>(x));
    int exponent = 0;
    (void)std::frexp(exact, &exponent);
    const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
    ASSERT_LE(std::abs(static_cast<double>(simd::exp_nonpositive(x, floor)) - exact), 2 * unit)
        << x;
  }
  EXPECT_EQ(simd::exp_nonpositive(-std::numeric_limits<float>::infinity(), floor), 0.0f);
  EXPECT_EQ(simd::exp_nonpositive(-1e30f, floor), 0.0f);
  EXPECT_EQ(simd::exp_nonpositive(0.0f, floor), 1.0f);
  EXPECT_TRUE(std::isnan(simd::exp_nonpositive(std::numeric_limits<float>::quiet_NaN(), floor)));
}

TEST(HostSimd, LanesFindTheLargestAndTheSumOfAnyCount) {
  for (const std::int64_t n : {0, 1, 63, 64, 65, 200, 1000}) {
    std::vector<float> x(static_cast<std::size_t>(n));
    float largest = -std::numeric_limits<float>::infinity();
    for (std::int64_t i = 0; i < n; ++i) {
      x[static_cast<std::size_t>(i)] = -static_cast<float>((i * 37) % 101);
      largest = std::max(largest, x[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(simd::largest_of(x.data(), n), largest);
    if (n == 0) continue;
    std::vector<float> y(x.size());
    alignas(64) float lane[simd::lanes];
    simd::set_lanes(lane, 0.0f);
    simd::exponentials(x.data(), largest, y.data(), n, lane);
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      sum += std::exp(static_cast<double>(x[static_cast<std::size_t>(i)]) -
                      static_cast<double>(largest));
    EXPECT_NEAR(static_cast<double>(simd::sum_of_lanes(lane)), sum, 1e-5 * sum);
  }
}

}  // namespace
}  // namespace gpubench
