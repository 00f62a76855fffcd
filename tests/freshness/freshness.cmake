cmake_minimum_required(VERSION 3.25)

# cmake -DSOURCE=<tree> -P freshness.cmake
# Fails when kernels/ or microbench/ of the tree differ from what its results on the reference GPU were verified with
# (tool.kernel_sources_sha256 of verify.json). A pending.txt beside it that names the reason turns the failure into
# "skipped", and the reason is printed.
set(results ${SOURCE}/results/nvidia-h200)
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${SOURCE} -P ${CMAKE_CURRENT_LIST_DIR}/../../cmake/build_facts.cmake
                OUTPUT_VARIABLE now OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed OR NOT now MATCHES "^[0-9a-f]+$")
  message(FATAL_ERROR "cmake/build_facts.cmake gave no hash of ${SOURCE}: '${now}'")
endif()

set(then "no such file")
if(EXISTS ${results}/verify.json)
  file(READ ${results}/verify.json document)
  string(JSON then ERROR_VARIABLE error GET "${document}" tool kernel_sources_sha256)
  if(error)
    set(then "unreadable: ${error}")
  endif()
endif()

set(pending "")
if(EXISTS ${results}/pending.txt)
  file(READ ${results}/pending.txt pending)
  string(STRIP "${pending}" pending)
endif()

set(echo ${CMAKE_COMMAND} -E echo)  # message() writes to standard error or puts dashes before the text
if(now STREQUAL then)
  execute_process(COMMAND ${echo} "kernels/ and microbench/ are what results/nvidia-h200/verify.json was made from")
  if(pending)
    execute_process(COMMAND ${echo} "results/nvidia-h200/pending.txt has nothing to excuse and can go: ${pending}")
  endif()
elseif(pending)
  execute_process(COMMAND ${echo} "skipped 'results are pending: ${pending}'")
else()
  message(FATAL_ERROR "kernels/ or microbench/ differ from what results/nvidia-h200/verify.json was made from.\n"
    "  now:         ${now}\n  verify.json: ${then}\n"
    "Verify on the GPU again (gpubench verify all --json results/nvidia-h200/verify.json), or name the reason for not "
    "doing so in results/nvidia-h200/pending.txt.")
endif()
