#if defined(GPUBENCH_CUDA)

#include "device/cuda/library.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"

namespace gpubench::cuda {
namespace {

TEST(CudaLibrary, SaysWhatWasTriedForAMissingLibrary) {
  const std::vector<std::string> names = {"libgpubench_absent.so.9", "libgpubench_absent.so"};
  const auto reason = missing_library(names);
  ASSERT_TRUE(reason);
  for (const std::string& name : names) EXPECT_NE(reason->find(name), std::string::npos);
  for (const std::string& directory : library_directories())
    EXPECT_NE(reason->find(directory), std::string::npos);
  try {
    const Library library(names);
    FAIL() << "loaded " << library.path();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::no_device);
    EXPECT_EQ(error.what(), *reason);
  }
}

TEST(CudaLibrary, FindsAFunctionAndNamesOneThatIsMissing) {
  const std::vector<std::string> names = {"libm.so.6"};
  ASSERT_FALSE(missing_library(names));
  const Library math(names);
  EXPECT_EQ(math.symbol<double(double)>("fabs")(-3.0), 3.0);
  EXPECT_THROW(math.symbol<void()>("gpubench_absent"), Error);
}

TEST(CudaLibrary, LooksIntoCudaHomeFirst) {
  const char* const before = std::getenv("CUDA_HOME");
  const std::string kept = before ? before : "";
  setenv("CUDA_HOME", "/somewhere", 1);
  const auto directories = library_directories();
  if (before)
    setenv("CUDA_HOME", kept.c_str(), 1);
  else
    unsetenv("CUDA_HOME");
  EXPECT_EQ(directories.front(), "/somewhere/lib64");
  EXPECT_NE(std::find(directories.begin(), directories.end(), "/usr/local/cuda/lib64"),
            directories.end());
}

TEST(CudaLibrary, NamesToolkitLibrariesByMajorVersionFirst) {
  const auto names = toolkit_library("cublas");
  ASSERT_EQ(names.size(), 2u);
  EXPECT_TRUE(names[0].starts_with("libcublas.so.1"));
  EXPECT_EQ(names[1], "libcublas.so");
}

}  // namespace
}  // namespace gpubench::cuda

#endif
