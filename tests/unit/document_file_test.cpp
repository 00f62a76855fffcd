// The document as a file: what the strict reader refuses, and how files are replaced.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "document/output_file.hpp"
#include "document/read.hpp"

namespace gpubench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "gpubench-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    path = (folder / "d.json").string();
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string refusal(const std::function<void()>& action, ExitCode code) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      std::string what = error.what();
      if (what.starts_with(path + ": ")) what.erase(0, path.size() + 2);
      return what;
    }
    return "accepted";
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
  std::string path;
};

class Reader : public Folder {
 protected:
  static Json example() {
    std::ifstream file(GPUBENCH_SOURCE_DIR "/docs/result.example.json");
    return Json::parse(file);
  }
  std::string of_text(const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
    return refusal([&] { read_document(path); }, ExitCode::not_comparable);
  }
  // What the reader says to the example with the value at the JSON pointer replaced.
  std::string with(const char* pointer, const Json& value) {
    Json document = example();
    document[Json::json_pointer(pointer)] = value;
    return of_text(document.dump());
  }
  std::string without(const char* pointer, const char* key) {
    Json document = example();
    document[Json::json_pointer(pointer)].erase(key);
    return of_text(document.dump());
  }
};

TEST_F(Reader, takes_the_example) {
  const Document document = read_document(GPUBENCH_SOURCE_DIR "/docs/result.example.json");
  ASSERT_EQ(document.cases.size(), 1u);
  const CaseRecord& record = document.cases[0];
  EXPECT_EQ(record.id, case_id(record.family, record.variant, record.dtype, record.parameters,
                               record.cache, record.input));
  EXPECT_EQ(record.parameters.integer("N_q"), 4096);
  EXPECT_FALSE(record.parameters.boolean("causal"));
  EXPECT_EQ(record.timing->median_s, 0.00362);
  EXPECT_EQ(record.roof->limited_by, "fp32_fma");
  EXPECT_EQ(document.ceilings.size(), 3u);
  EXPECT_EQ(document.device.compute_capability, 90);
}

TEST_F(Reader, passes_over_keys_that_it_does_not_know) {
  EXPECT_EQ(with("/cases/0/extra", Json::parse(R"({"a":[1,{"b":null}]})")), "accepted");
  EXPECT_EQ(with("/extra", 1), "accepted");
}

TEST_F(Reader, takes_whole_numbers_in_any_form) {
  EXPECT_EQ(with("/cases/0/verification/checked", 4096.0), "accepted");
  EXPECT_EQ(with("/cases/0/timing/max_s", 1), "accepted");
}

TEST_F(Reader, refuses_a_median_of_other_samples) {
  EXPECT_EQ(with("/cases/0/timing/median_s", 1),
            "at cases[0].timing: median_s is 1, and the median of samples_s is 0.00362");
  EXPECT_EQ(with("/cases/0/timing/median_s", 0.00362 * (1 + 1e-12)), "accepted");
}

TEST_F(Reader, shortens_a_key_in_the_way_to_a_fault) {
  Json document = example();
  document["cases"][0]["parameters"] = {{std::string(1'000'000, 'k') + "\n", nullptr}};
  const std::string said = of_text(document.dump());
  EXPECT_TRUE(said.starts_with("at cases[0].parameters.kkkk")) << said.substr(0, 300);
  EXPECT_LT(said.size(), 300u);
}

TEST_F(Reader, names_the_place_of_a_wrong_type) {
  EXPECT_EQ(with("/cases/0/timing/median_s", "fast"),
            "at cases[0].timing.median_s: expected a number, found the string 'fast'");
  EXPECT_EQ(with("/cases/0/timing/median_s", nullptr),
            "at cases[0].timing.median_s: expected a number, found null");
  EXPECT_EQ(with("/cases/0/timing/samples_s/1", true),
            "at cases[0].timing.samples_s[1]: expected a number, found true");
  EXPECT_EQ(with("/ceilings/1/timing", 3), "at ceilings[1].timing: expected an object, found 3");
  EXPECT_EQ(with("/cases/0/seed", -1),
            "at cases[0].seed: -1 is out of range; allowed: 0 to 9223372036854775807");
  EXPECT_EQ(with("/cases/0/parameters/D", 1.5),
            "at cases[0].parameters.D: expected a whole number, found 1.5");
  EXPECT_EQ(with("/cases/0/parameters/D", nullptr),
            "at cases[0].parameters.D: expected a whole number, found null");
  EXPECT_EQ(with("/cases/0", 7), "at cases[0]: expected an object, found 7");
  EXPECT_EQ(with("/cases", Json::object()), "at cases: expected an array, found an object");
  EXPECT_EQ(with("/cases", nullptr), "at cases: expected an array, found null");
  EXPECT_EQ(with("/command", "gpubench"),
            "at command: expected an array, found the string 'gpubench'");
  EXPECT_EQ(with("/tool/git_dirty", 0), "at tool.git_dirty: expected true or false, found 0");
  EXPECT_EQ(
      with("/device/compute_capability", "nine"),
      "at device.compute_capability: expected a compute capability such as '9.0', found 'nine'");
  EXPECT_EQ(with("/cases/0/counters", 1), "at cases[0].counters: expected an object, found 1");
  EXPECT_EQ(of_text("[]"), "expected an object, found an array");
  EXPECT_EQ(of_text("3"), "expected an object, found 3");
}

TEST_F(Reader, refuses_times_that_cannot_be) {
  EXPECT_EQ(with("/cases/0/timing/median_s", 0),
            "at cases[0].timing.median_s: expected a number above 0, found 0");
  EXPECT_EQ(with("/cases/0/timing/samples_s/2", -0.5),
            "at cases[0].timing.samples_s[2]: expected a number above 0, found -0.5");
  EXPECT_EQ(with("/ceilings/0/value", 0),
            "at ceilings[0].value: expected a number above 0, found 0");
}

TEST_F(Reader, refuses_unknown_words) {
  EXPECT_EQ(with("/cases/0/status", "okay"),
            "at cases[0].status: 'okay' is not allowed; allowed: ok, failed, skipped, interrupted");
  EXPECT_EQ(with("/cases/0/cache", "hot"),
            "at cases[0].cache: 'hot' is not allowed; allowed: warm, cold");
  EXPECT_EQ(with("/ceilings/0/unit", "flops"),
            "at ceilings[0].unit: 'flops' is not allowed; allowed: flop/s, op/s, byte/s, s");
  EXPECT_EQ(with("/status", "done"),
            "at status: 'done' is not allowed; allowed: complete, interrupted");
  EXPECT_EQ(with("/cases/0/roof/regime", "x"),
            "at cases[0].roof.regime: 'x' is not allowed; allowed: sustained, burst");
  EXPECT_EQ(with("/cases/0/dtype", std::string(1000, 'x')),
            "at cases[0].dtype: '" + std::string(100, 'x') +
                "...' is not allowed; allowed: f32, f16, bf16, f64");
  EXPECT_EQ(with("/cases/0/input", "\x1b[31m\n"),
            "at cases[0].input: '?[31m?' is not allowed; allowed: random, integers, large, equal, "
            "outlier, "
            "infinite_rows");
}

TEST_F(Reader, refuses_every_missing_required_key) {
  std::ifstream file(GPUBENCH_SOURCE_DIR "/docs/result.schema.json");
  const Json schema = Json::parse(file);
  const auto expect_required = [&](const Json& part, const char* pointer,
                                   const std::string& place) {
    for (const std::string key : part.at("required")) {
      const std::string what = "'" + key + "' is missing";
      EXPECT_EQ(without(pointer, key.c_str()), place.empty() ? what : "at " + place + ": " + what);
    }
  };
  const Json& properties = schema["properties"];
  const Json& of_case = schema["$defs"]["case"]["properties"];
  expect_required(schema, "", "");
  expect_required(properties["tool"], "/tool", "tool");
  expect_required(properties["host"], "/host", "host");
  expect_required(properties["device"], "/device", "device");
  expect_required(schema["$defs"]["ceiling"], "/ceilings/2", "ceilings[2]");
  expect_required(schema["$defs"]["case"], "/cases/0", "cases[0]");
  expect_required(schema["$defs"]["timing"], "/cases/0/timing", "cases[0].timing");
  for (const char* key : {"verification", "work", "achieved", "roof"})
    expect_required(of_case[key], (std::string("/cases/0/") + key).c_str(),
                    std::string("cases[0].") + key);
}

TEST_F(Reader, refuses_what_is_there_twice) {
  Json document = example();
  document["cases"].push_back(document["cases"][0]);
  EXPECT_EQ(of_text(document.dump()),
            "at cases[1]: there is a second case "
            "'attention/"
            "fused_row?dtype=f32&B=1&H=1&H_kv=1&N_q=4096&N_k=4096&D=128&causal=false&cache=warm'");
  document = example();
  document["ceilings"][2]["name"] = "fp32_fma";
  EXPECT_EQ(of_text(document.dump()), "at ceilings[2]: there is a second ceiling 'fp32_fma'");
  std::string text = example().dump();
  text.insert(1, R"("status":"complete",)");
  EXPECT_EQ(of_text(text), "the key 'status' is given twice");
}

TEST_F(Reader, tells_another_schema_before_anything_else) {
  Json document = example();
  document["schema"] = "gpubench.results/2";
  document["cases"][0] = "changed beyond knowing";
  EXPECT_EQ(of_text(document.dump()),
            "is 'gpubench.results/2'; this gpubench reads gpubench.results/1");
  EXPECT_EQ(with("/schema", "other"), "at schema: 'other' is not a gpubench results document");
  EXPECT_EQ(of_text("{}"), "'schema' is missing");
}

TEST_F(Reader, refuses_what_is_not_json) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(of_text(""), "is empty");
  has(of_text(" \n"), "is not valid JSON: parse error at line 2");
  const std::string whole = example().dump();
  has(of_text(whole.substr(0, whole.size() / 2)), "is not valid JSON");
  has(of_text(whole.substr(0, whole.size() - 1)), "unexpected end of input");
  has(of_text(whole + "x"), "is not valid JSON");
  has(of_text(whole + whole), "is not valid JSON");
  for (const char* number : {"NaN", "Infinity", "-Infinity", "nan", "0x1", "01", "+1", ".5"})
    has(of_text(std::string(R"({"schema":)") + number + "}"), "is not valid JSON");
  EXPECT_EQ(of_text(R"({"a":1e999})"), "is not valid JSON: a number is too large");
  has(of_text("{\"schema\":\"\xff\"}"), "is not valid JSON");
  has(of_text("{\"\xc3\":1}"), "is not valid JSON");
  has(of_text(std::string("{\"a\":\0}", 7)), "is not valid JSON");
  // Nothing of what was read reaches the message, however long.
  EXPECT_LT(of_text("{\"" + std::string(1 << 20, 'x') + "\x01").size(), 300u);
}

TEST_F(Reader, refuses_deep_nesting_without_recursion) {
  for (const std::size_t depth : {std::size_t{65}, std::size_t{1000}, std::size_t{1000000}}) {
    EXPECT_EQ(of_text(std::string(depth, '[')), "is nested deeper than 64 levels");
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
    EXPECT_EQ(of_text(objects), "is nested deeper than 64 levels");
  }
  EXPECT_EQ(of_text(std::string(64, '[') + std::string(64, ']')),
            "expected an object, found an array");
}

TEST_F(Reader, says_why_a_file_cannot_be_read_and_waits_for_none) {
  const auto unreadable = [&](const std::string& name) {
    return refusal([&] { read_document(name); }, ExitCode::io);
  };
  EXPECT_EQ(unreadable(path), "cannot read '" + path + "': No such file or directory");
  EXPECT_EQ(unreadable(folder.string()), "cannot read '" + folder.string() + "': it is a folder");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(unreadable(path), "cannot read '" + path + "': it is not a regular file");
  EXPECT_EQ(unreadable("/dev/zero"), "cannot read '/dev/zero': it is not a regular file");
}

TEST_F(Reader, refuses_a_file_that_is_too_large_without_reading_it_all) {
  std::ofstream(path) << "{";
  fs::resize_file(path, largest_document + 1);
  EXPECT_EQ(refusal([&] { read_document(path); }, ExitCode::not_comparable),
            "is larger than 512 MiB");
}

class Output : public Folder {
 protected:
  std::string refused(const std::string& name) {
    return refusal([&] { open_output(name); }, ExitCode::io);
  }
  void write(const std::string& name, std::string_view text) {
    OutputFile file = open_output(name);
    file.write(text);
    file.commit();
  }
};

TEST_F(Output, appears_whole_at_commit_and_leaves_nothing_beside_it) {
  OutputFile file = open_output(path);
  file.write("one ");
  EXPECT_EQ(entries(), 0u);
  file.write("two");
  file.commit();
  EXPECT_EQ(content(path), "one two");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Output, that_is_abandoned_changes_nothing) {
  write(path, "old");
  { open_output(path).write("new"); }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Output, keeps_an_existing_mode_and_gives_a_new_file_what_the_umask_says) {
  const mode_t before = ::umask(027);
  write(path, "a");
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0640u);
  ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
  write(path, "b");
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777u, 0604u);
  EXPECT_EQ(content(path), "b");
}

TEST_F(Output, goes_where_symbolic_links_lead) {
  fs::create_directory(folder / "sub");
  fs::create_symlink("sub/real.json", folder / "inner");
  fs::create_symlink("inner", folder / "outer");
  write((folder / "outer").string(), "through a dangling link");
  EXPECT_EQ(content(folder / "sub" / "real.json"), "through a dangling link");
  write((folder / "outer").string(), "again");
  EXPECT_EQ(content(folder / "sub" / "real.json"), "again");
  EXPECT_TRUE(fs::is_symlink(folder / "outer"));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_NE(refused((folder / "loop").string()).find("Too many levels"), std::string::npos);
}

TEST_F(Output, is_refused_before_anything_is_measured) {
  const auto message = [](const std::string& name, const char* reason) {
    return "cannot write '" + name + "': " + reason;
  };
  const std::string lost = (folder / "missing" / "d.json").string();
  EXPECT_EQ(refused(lost), "cannot write '" + lost + "': the folder '" +
                               (folder / "missing").string() +
                               "' is not there: No such file or directory");
  // Where even root may make no file.
  if (fs::exists("/sys/kernel")) {
    EXPECT_TRUE(refused("/sys/kernel/d.json")
                    .starts_with("cannot write '/sys/kernel/d.json': no file can be made beside it "
                                 "in the folder '/sys/kernel': "));
  }
  EXPECT_EQ(refused(folder.string()), message(folder.string(), "Is a directory"));
  EXPECT_EQ(refused(""), "cannot write to a file without a name");
  write(path, "a file");
  EXPECT_EQ(refused(path + "/d.json"), message(path + "/d.json", "Not a directory"));
  EXPECT_EQ(refused("/dev/full"), message("/dev/full", "No space left on device"));
  if (::geteuid() == 0) return;  // root may write everywhere
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_EQ(refused(path), message(path, "Permission denied"));
  const std::string beside = (folder / "other.json").string();
  ASSERT_EQ(::chmod(folder.c_str(), 0555), 0);
  EXPECT_EQ(refused(beside), "cannot write '" + beside +
                                 "': no file can be made beside it in the folder '" +
                                 folder.string() + "': Permission denied");
  ::chmod(folder.c_str(), 0755);
}

TEST_F(Output, that_does_not_fit_leaves_the_old_file) {
  write(path, "old");
  OutputFile file = open_output(path);
  file.write(std::string(1 << 20, 'x'));
  // A limit on the size of files stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string what = refusal([&] { file.commit(); }, ExitCode::io);
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(what, "cannot write '" + path + "': File too large");
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Output, writes_devices_and_fifos_directly_and_never_replaces_them) {
  write("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content(path); });
  write(path, "through a pipe");
  reader.join();
  EXPECT_EQ(received, "through a pipe");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(Output, to_a_dash_is_standard_output) {
  OutputFile file = open_output("-");
  EXPECT_TRUE(file.is_standard_output());
  ::testing::internal::CaptureStdout();
  file.write("to standard output");
  file.commit();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to standard output");
}

}  // namespace
}  // namespace gpubench
