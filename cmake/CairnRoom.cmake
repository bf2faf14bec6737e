# cairn_room(NAME [ROOMS room...] [LIBRARIES target...] [TEST_LIBRARIES target...])
#
# One folder is one room: every *.cc of the folder (and of its kernels/) becomes the static library cairn_NAME, except
#   *_test.cc                    the unit tests, one program cairn_NAME_test
#   *_sse41.cc *_avx2.cc *_avx512.cc *_aesni.cc *_vaes.cc *_vbmi.cc   built with the flags of that instruction set, x86-64 only
#   *_aes512.cc                  the same, with all that CPUs with AES over 512 bits have: VBMI, GFNI and IFMA
#   *_neon.cc *_armaes.cc        arm64 only, the second with its AES instructions
#   *_linux.cc                   Linux only
#   main.cc                      left to the room's own CMakeLists.txt
# ROOMS lists the rooms that it may use; tests/rooms_test compares the #include lines with this list.
function(cairn_room name)
  cmake_parse_arguments(ARG "" "" "ROOMS;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cc kernels/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/main\\.cc$")
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    list(FILTER sources EXCLUDE REGEX "_linux\\.cc$")
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(FILTER sources EXCLUDE REGEX "_(neon|armaes)\\.cc$")
    cairn_kernel_flags("${sources}" sse41 "-msse4.1;-mssse3")
    cairn_kernel_flags("${sources}" avx2 "-mavx2;-mbmi;-mbmi2")
    cairn_kernel_flags("${sources}" avx512 "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mbmi;-mbmi2")
    cairn_kernel_flags("${sources}" vbmi "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mavx512vbmi;-mbmi;-mbmi2")
    cairn_kernel_flags("${sources}" aesni "-maes;-msse4.1")
    cairn_kernel_flags("${sources}" vaes "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mvaes;-maes;-mbmi2")
    cairn_kernel_flags("${sources}" aes512
      "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mavx512vbmi;-mavx512ifma;-mgfni;-mvaes;-maes;-mbmi;-mbmi2")
  else()
    list(FILTER sources EXCLUDE REGEX "_(sse41|avx2|avx512|aesni|vaes|vbmi|aes512)\\.cc$")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
      cairn_kernel_flags("${sources}" armaes "-march=armv8-a+crypto")
    else()
      list(FILTER sources EXCLUDE REGEX "_(neon|armaes)\\.cc$")
    endif()
  endif()

  list(TRANSFORM ARG_ROOMS PREPEND cairn_ OUTPUT_VARIABLE room_targets)
  if(sources)
    add_library(cairn_${name} STATIC ${sources})
    target_link_libraries(cairn_${name} PUBLIC cairn_flags fmt::fmt ${room_targets} PRIVATE ${ARG_LIBRARIES} Threads::Threads)
  else()
    add_library(cairn_${name} INTERFACE)
    target_link_libraries(cairn_${name} INTERFACE cairn_flags fmt::fmt ${room_targets})
  endif()

  if(CAIRN_TESTS AND tests)
    add_executable(cairn_${name}_test ${tests})
    target_link_libraries(cairn_${name}_test PRIVATE cairn_${name} ${ARG_LIBRARIES} ${ARG_TEST_LIBRARIES}
      nlohmann_json::nlohmann_json GTest::gtest GTest::gtest_main Threads::Threads)
    target_compile_definitions(cairn_${name}_test PRIVATE CAIRN_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
    add_test(NAME ${name} COMMAND cairn_${name}_test)
  endif()
endfunction()

function(cairn_kernel_flags sources suffix flags)
  foreach(source IN LISTS sources)
    if(source MATCHES "_${suffix}\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags}")
    endif()
  endforeach()
endfunction()
