# What a document says of the binary that wrote it. The git facts and the hash of kernels/ and microbench/ are taken at
# every build (a script of some milliseconds); the file they go to is rewritten only when they change.
set(build_info_source ${CMAKE_BINARY_DIR}/generated/build_info_values.hpp)
set(cuda_version_text "")
set(cuda_architectures_text "")
if(GPUBENCH_HAS_CUDA)
  set(cuda_version_text ${CUDAToolkit_VERSION})
  set(cuda_architectures_text "${GPUBENCH_ARCH};90a")
  list(REMOVE_DUPLICATES cuda_architectures_text)
  string(REPLACE ";" "," cuda_architectures_text "${cuda_architectures_text}")
endif()
add_custom_target(gpubench_build_facts
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${build_info_source}
          -P ${CMAKE_SOURCE_DIR}/cmake/build_facts.cmake
  BYPRODUCTS ${build_info_source}
  VERBATIM)
add_library(gpubench_build_info OBJECT src/document/build_info/build_info.cpp)
add_dependencies(gpubench_build_info gpubench_build_facts)
target_include_directories(gpubench_build_info PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(gpubench_build_info PRIVATE
  GPUBENCH_VERSION="${PROJECT_VERSION}"
  GPUBENCH_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  GPUBENCH_CUDA_TOOLKIT="${cuda_version_text}"
  GPUBENCH_CUDA_ARCHITECTURES="${cuda_architectures_text}"
  GPUBENCH_BUILD_TYPE="$<CONFIG>"
  GPUBENCH_CUDA_LIBRARY_DIR="${CUDAToolkit_LIBRARY_DIR}")
target_link_libraries(gpubench_build_info PRIVATE gpubench_flags)
