# Compiler flags and libraries shared by every target.
include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(CORSET_WERROR "Warnings are errors" OFF)
option(CORSET_PRIVATE_LIBRARIES "Look for libraries that Debian 12 lacks in the folders of our own packages" OFF)
option(CORSET_FUZZ "Build the fuzz targets with libFuzzer" OFF)
set(CORSET_SANITIZE "" CACHE STRING "Value for -fsanitize=")

add_compile_options(
    -Wall -Wextra -Wshadow -Wwrite-strings -Wpointer-arith -Wvla -Wundef -Wformat=2
    -Wimplicit-fallthrough -Wdouble-promotion -Wnull-dereference -Wconversion -Wno-sign-conversion
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    -fno-omit-frame-pointer -fstack-clash-protection
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
add_compile_definitions(_GNU_SOURCE)
add_compile_options($<$<COMPILE_LANGUAGE:C>:-include$<SEMICOLON>${PROJECT_SOURCE_DIR}/src/base/banned.h>)
include_directories(${PROJECT_SOURCE_DIR}/src)

if(CORSET_WERROR)
    add_compile_options(-Werror)
endif()

if(CORSET_SANITIZE)
    add_compile_options(-fsanitize=${CORSET_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${CORSET_SANITIZE})
endif()

if(CORSET_FUZZ)
    # Every layer reports its branches to the fuzzer; only fuzz targets get its main().
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()

if(CMAKE_BUILD_TYPE STREQUAL "Release")
    include(CheckPIESupported)
    check_pie_supported()
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong)
    # Indirect branches alone: fibers change stacks, which shadow stacks do not allow.
    check_c_compiler_flag(-fcf-protection=branch CORSET_HAS_CET)
    if(CORSET_HAS_CET)
        add_compile_options(-fcf-protection=branch)
    endif()
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
    # assert() guards our own invariants and stays in release builds.
    string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(crypto REQUIRED IMPORTED_TARGET libcrypto)
pkg_check_modules(ssl REQUIRED IMPORTED_TARGET libssl libcrypto)
pkg_check_modules(uv REQUIRED IMPORTED_TARGET libuv)
# These two come from the next suite on Debian 12, where no security support reaches them (docs/security.md).
# Older versions read some input differently, or have known faults.
pkg_check_modules(yyjson REQUIRED IMPORTED_TARGET yyjson>=0.10.0)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
pkg_check_modules(llhttp REQUIRED IMPORTED_TARGET libllhttp>=9.2.1)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
