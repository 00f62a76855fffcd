# cmake -DSOURCE=<tree> -DOUTPUT=<header> -P build_facts.cmake
# Writes the header that build_info.cpp includes. With no OUTPUT it prints the kernel hash alone.
#
# The kernel hash: SHA-256 over the lines "<sha256 of the file>  <path>\n" of all files in kernels/ and microbench/, sorted by path.
get_filename_component(SOURCE ${SOURCE} ABSOLUTE)
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/kernels/* ${SOURCE}/microbench/*)
list(SORT files)
set(lines "")
foreach(path IN LISTS files)
  file(SHA256 ${SOURCE}/${path} hash)
  string(APPEND lines "${hash}  ${path}\n")
endforeach()
string(SHA256 kernel_hash "${lines}")
if(NOT OUTPUT)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo ${kernel_hash})
  return()
endif()

set(commit "")
set(dirty "")
find_program(git git)
if(git AND EXISTS ${SOURCE}/.git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes STREQUAL "")
      set(dirty false)
    else()
      set(dirty true)
    endif()
  endif()
endif()
set(content "// Made by cmake/build_facts.cmake.
#define GPUBENCH_GIT_COMMIT \"${commit}\"
#define GPUBENCH_GIT_DIRTY \"${dirty}\"
#define GPUBENCH_KERNEL_SHA256 \"${kernel_hash}\"
")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL content)
  file(WRITE ${OUTPUT} "${content}")
endif()
