# layer(<name> USES <layers> LIBS <libraries>)
#
# A static library from src/<name>/*.c, a test program <name>_test from src/<name>/*_test.c, and a
# link check: the layer's objects alone, linked against nothing but what it may use, must leave no
# symbol undefined. Libraries are private: their headers are not visible to the layers above.
function(layer name)
    cmake_parse_arguments(LAYER "" "" "IN;USES;LIBS" ${ARGN})
    foreach(folder ${LAYER_IN})
        set(dir ${PROJECT_SOURCE_DIR}/src/${folder})
        file(GLOB found CONFIGURE_DEPENDS ${dir}/*.c ${dir}/*.S)
        list(APPEND sources ${found})
        file(GLOB found CONFIGURE_DEPENDS ${dir}/*_test.c)
        list(APPEND tests ${found})
    endforeach()
    list(REMOVE_ITEM sources ${tests} ${PROJECT_SOURCE_DIR}/src/testing/test_main.c) # main() is added to test programs alone
    if(NOT sources)
        return() # a layer appears when it has content
    endif()
    foreach(used ${LAYER_USES})
        if(NOT TARGET ${used})
            list(REMOVE_ITEM LAYER_USES ${used}) # that one has not appeared yet
        endif()
    endforeach()

    add_library(${name} STATIC ${sources})
    set_property(GLOBAL APPEND PROPERTY CORSET_LAYERS ${name})
    target_link_libraries(${name} PUBLIC ${LAYER_USES} PRIVATE ${LAYER_LIBS} Threads::Threads)

    # The sanitizer runtime of clang is not linked into shared objects, so gcc does this check.
    if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
        add_library(${name}_link_check SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}>)
        target_link_libraries(${name}_link_check PRIVATE ${LAYER_USES} ${LAYER_LIBS} Threads::Threads)
        target_link_options(${name}_link_check PRIVATE -Wl,-z,defs)
        add_custom_target(${name}_checked ALL DEPENDS ${name}_link_check)
    endif()

    if(tests)
        add_executable(${name}_test ${tests} ${PROJECT_SOURCE_DIR}/src/testing/test_main.c)
        target_link_libraries(${name}_test PRIVATE testing ${name} ${LAYER_LIBS})
        register_tests(${name}_test ${name} ${tests})
    endif()
endfunction()

# layers_checked(): all layers in one object, which fails when two define the same name. Symbols have
# no project prefix, and a program that uses only some layers would not show it.
function(layers_checked)
    get_property(layers GLOBAL PROPERTY CORSET_LAYERS)
    list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
    add_library(layers_link_check SHARED EXCLUDE_FROM_ALL ${objects})
    target_link_libraries(layers_link_check PRIVATE ${layers})
    add_custom_target(all_layers_checked ALL DEPENDS layers_link_check)
endfunction()

# register_tests(<program> <prefix> <sources>): a CTest entry for every TEST in the sources.
function(register_tests program prefix)
    foreach(source ${ARGN})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
        file(STRINGS ${source} lines REGEX "^(TEST|SIM_TEST|LOOP_TEST|TORTURE_TEST)\\([a-z0-9_]+\\)")
        foreach(line ${lines})
            string(REGEX REPLACE "^[A-Z_]+\\(([a-z0-9_]+)\\).*" "\\1" test "${line}")
            add_test(NAME ${prefix}.${test} COMMAND ${program} ${test}
                     WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
            set_tests_properties(${prefix}.${test} PROPERTIES TIMEOUT 180)
        endforeach()
    endforeach()
endfunction()

# find_commit(<variable>): the 12 digits of the commit that is built, or "unknown". An archive made by
# `git archive` names its commit in cmake/commit.txt; there no repository is asked, since the folder
# may lie inside one of another project.
function(find_commit variable)
    set(commit_file ${PROJECT_SOURCE_DIR}/cmake/commit.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${commit_file})
    file(STRINGS ${commit_file} archived LIMIT_COUNT 1)
    if(archived MATCHES "^[0-9a-f]+$")
        string(SUBSTRING "${archived}" 0 12 commit)
    elseif(EXISTS ${PROJECT_SOURCE_DIR}/.git)
        execute_process(COMMAND git rev-parse --short=12 HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    if(NOT commit)
        set(commit unknown)
    endif()
    set(${variable} ${commit} PARENT_SCOPE)
endfunction()

# program(<name> <folder> USES <layers>): an executable from src/<folder>/*.c that knows its version,
# and a test program <folder>_test of everything but src/<folder>/<name>.c, which has the main().
function(program name folder)
    cmake_parse_arguments(PROGRAM "" "" "USES" ${ARGN})
    set(dir ${PROJECT_SOURCE_DIR}/src/${folder})
    file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.c ${dir}/*.S)
    file(GLOB tests CONFIGURE_DEPENDS ${dir}/*_test.c)
    list(REMOVE_ITEM sources ${tests})
    find_commit(commit)
    list(REMOVE_ITEM sources ${dir}/${name}.c)
    add_library(${folder}_objects OBJECT ${sources})
    target_link_libraries(${folder}_objects PUBLIC ${PROGRAM_USES})
    target_compile_definitions(${folder}_objects PRIVATE CORSET_VERSION="${PROJECT_VERSION}"
                                                         CORSET_COMMIT="${commit}")
    add_executable(${name} ${dir}/${name}.c)
    target_link_libraries(${name} PRIVATE ${folder}_objects)
    if(tests)
        add_executable(${folder}_test ${tests} ${PROJECT_SOURCE_DIR}/src/testing/test_main.c)
        target_link_libraries(${folder}_test PRIVATE testing ${folder}_objects)
        register_tests(${folder}_test ${folder} ${tests})
    endif()
endfunction()
