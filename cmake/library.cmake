# libcorset for authors of controllers, and what is installed.
#
# Names inside carry no prefix, so nothing but corset_* may leave: the shared library is linked with
# a version script, and the objects of the static one are linked into one of which all other names
# are made local. tests/product/library/names checks both.
include(GNUInstallDirs)

set(LIBRARY_LAYERS
    base async net json apimachinery http client cache controller framework clustercache
    libcorset)
set(LIBRARY_PACKAGES "libuv libssl libcrypto yyjson yaml-0.1 libnghttp2 libllhttp zlib")
set(library_names ${PROJECT_SOURCE_DIR}/src/libcorset/names.map)

foreach(layer ${LIBRARY_LAYERS})
    list(APPEND library_objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(corset_shared SHARED ${library_objects})
set_target_properties(corset_shared PROPERTIES
    OUTPUT_NAME corset
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${library_names})
target_link_options(corset_shared PRIVATE -Wl,--version-script=${library_names})
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_link_options(corset_shared PRIVATE -Wl,-z,defs) # see layers.cmake about clang
endif()
target_link_libraries(corset_shared PRIVATE
    PkgConfig::uv PkgConfig::ssl PkgConfig::crypto PkgConfig::yyjson PkgConfig::yaml
    PkgConfig::nghttp2 PkgConfig::llhttp PkgConfig::zlib Threads::Threads m)

if(CORSET_PRIVATE_LIBRARIES) # see deploy/debian/rules
    set_target_properties(corset_shared PROPERTIES INSTALL_RPATH ${CMAKE_INSTALL_FULL_LIBDIR}/libcorset0)
    set_target_properties(corset PROPERTIES INSTALL_RPATH /usr/lib/corset)
endif()

set(static_library ${PROJECT_BINARY_DIR}/libcorset.a)
set(static_object ${PROJECT_BINARY_DIR}/libcorset.o)
add_custom_command(
    OUTPUT ${static_library}
    COMMAND ${CMAKE_LINKER} -r -o ${static_object} ${library_objects}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=corset_* ${static_object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static_library}
    COMMAND ${CMAKE_AR} rcs ${static_library} ${static_object}
    DEPENDS ${LIBRARY_LAYERS} ${library_objects}
    COMMENT "Making libcorset.a"
    COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(corset_static ALL DEPENDS ${static_library})

# A library with a sanitizer in it cannot be linked without it, so its users are told.
if(CORSET_SANITIZE)
    set(LIBRARY_SANITIZE "-fsanitize=${CORSET_SANITIZE}")
endif()
file(RELATIVE_PATH LIBRARY_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/src/libcorset/corset.pc.in ${PROJECT_BINARY_DIR}/corset.pc @ONLY)

install(TARGETS corset_shared LIBRARY)
install(FILES ${static_library} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/corset DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/corset.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/docs/guide.md ${PROJECT_SOURCE_DIR}/LICENSE
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN CMakeLists.txt EXCLUDE)

# Everything that `make install` copies.
add_custom_target(installed DEPENDS corset extras corset_shared corset_static)
