# Libraries of the distribution where they are there, else fetched at a pinned version.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
set(INSTALL_GTEST OFF)  # of what is fetched, nothing is installed with the program

function(gpubench_dependency package target repository tag)
  find_package(${package} QUIET)
  if(NOT TARGET ${target})
    message(STATUS "${package} is not installed: fetching ${tag}")
    # SYSTEM: the warnings of others are not this project's errors.
    FetchContent_Declare(${package} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW ON SYSTEM)
    FetchContent_MakeAvailable(${package})
  endif()
endfunction()

gpubench_dependency(CLI11 CLI11::CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
gpubench_dependency(nlohmann_json nlohmann_json::nlohmann_json https://github.com/nlohmann/json.git v3.11.3)
gpubench_dependency(fmt fmt::fmt-header-only https://github.com/fmtlib/fmt.git 10.2.1)
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
gpubench_dependency(benchmark benchmark::benchmark https://github.com/google/benchmark.git v1.8.5)
if(GPUBENCH_TESTS)
  gpubench_dependency(GTest GTest::gtest https://github.com/google/googletest.git v1.14.0)
endif()
