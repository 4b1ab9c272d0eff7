# Where the files go that are not the program. The man page and the completions are printed
# by the program, from its own tables, so they cannot be stale.
# tests/test_install.sh holds the result to what the tree has.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB guides CONFIGURE_DEPENDS docs/*.md docs/*.png docs/*.svg)
install(FILES ${guides} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
file(GLOB configs CONFIGURE_DEPENDS configs/*.conf configs/*.csv)
install(FILES ${configs} DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/configs)

# weir_printed(FOLDER FILE ARGUMENTS...): what `weir ARGUMENTS` prints, as FILE in FOLDER.
function(weir_printed folder file)
  set(output ${PROJECT_BINARY_DIR}/printed/${file})
  add_custom_command(OUTPUT ${output} COMMAND weir ${ARGN} > ${output} DEPENDS weir VERBATIM
                     COMMENT "weir ${ARGN}")
  set_property(TARGET weir_printed_files APPEND PROPERTY SOURCES ${output})
  install(FILES ${output} DESTINATION ${folder})
endfunction()

# A program for another machine, or one under a sanitizer, is not run by the build.
if(TARGET weir AND NOT CMAKE_CROSSCOMPILING AND NOT WEIR_SANITIZE)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/printed)
  add_custom_target(weir_printed_files ALL)
  weir_printed(${CMAKE_INSTALL_MANDIR}/man1 weir.1 man)
  weir_printed(${CMAKE_INSTALL_DATADIR}/bash-completion/completions weir completions bash)
  weir_printed(${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions _weir completions zsh)
  weir_printed(${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d weir.fish completions fish)
endif()
