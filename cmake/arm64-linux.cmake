# Toolchain: 64-bit ARM Linux with Debian's cross compiler; its programs run under qemu-user.
# CAIRN_ARM64_ROOT is a folder with the libraries of that architecture (tests/arm64 makes one).

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CAIRN_ARM64_ROOT)
set(CMAKE_FIND_ROOT_PATH ${CAIRN_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(arm64_libraries ${CAIRN_ARM64_ROOT}/usr/lib/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CAIRN_ARM64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${arm64_libraries}/pkgconfig:${CAIRN_ARM64_ROOT}/usr/share/pkgconfig)
set(CMAKE_C_FLAGS_INIT "-isystem ${CAIRN_ARM64_ROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${arm64_libraries} -Wl,-rpath,${arm64_libraries}")
