# Libraries, all of them Debian packages; docs/decisions.md says why each is here.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
foreach(module IN ITEMS libzstd liblz4 liblzma libdeflate zlib libargon2 libpcre2-8 yaml-cpp libqrencode)
  string(MAKE_C_IDENTIFIER ${module} id) # "libpcre2-8" is no target name
  pkg_check_modules(${id} REQUIRED IMPORTED_TARGET ${module})
endforeach()
if(CAIRN_TESTS)
  find_package(GTest REQUIRED)
  pkg_check_modules(libacl REQUIRED IMPORTED_TARGET libacl) # what our ACL texts are compared with
endif()
