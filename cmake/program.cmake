# What is installed beside the program: manual pages and completions, both made by the program itself,
# and the names under which kubectl finds it as a plugin and its completions.
include(GNUInstallDirs)

set(extras ${PROJECT_BINARY_DIR}/extras)
add_custom_command(
    OUTPUT ${extras}/made
    COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}/man1
    COMMAND corset help --man-pages ${extras}/man1
    COMMAND corset completion bash > ${extras}/corset.bash
    COMMAND corset completion zsh > ${extras}/_corset
    COMMAND corset completion fish > ${extras}/corset.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${extras}/made
    DEPENDS corset
    COMMENT "Making manual pages and completions"
    VERBATIM)
add_custom_target(extras ALL DEPENDS ${extras}/made)

install(TARGETS corset RUNTIME)
install(DIRECTORY ${extras}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${extras}/corset.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME corset)
install(FILES ${extras}/_corset DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${extras}/corset.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/kubectl_complete-corset
        DESTINATION ${CMAKE_INSTALL_BINDIR})
install(CODE "file(CREATE_LINK corset
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/kubectl-corset\" SYMBOLIC)")
