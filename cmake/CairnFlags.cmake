# Compiler flags shared by every target.

add_library(cairn_flags INTERFACE)
target_include_directories(cairn_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(cairn_flags INTERFACE _FILE_OFFSET_BITS=64 _GNU_SOURCE)
target_compile_options(cairn_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align -Wunused -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough)
if(CAIRN_WARNINGS_AS_ERRORS)
  target_compile_options(cairn_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false positives of these inside the standard library's own headers once inlined.
  target_compile_options(cairn_flags INTERFACE -Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict)
endif()
if(CAIRN_SANITIZE)
  target_compile_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(cairn_flags INTERFACE -fsanitize=${CAIRN_SANITIZE})
endif()
if(CAIRN_FUZZ)
  # Coverage feedback from the rooms; each target links libFuzzer's main itself (fuzz/CMakeLists.txt).
  target_compile_options(cairn_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
