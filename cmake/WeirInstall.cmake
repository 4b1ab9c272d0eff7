# Where the files go that are not built. A folder or a file that a tree does not have is
# passed over; tests/test_install.sh holds the result to what the tree has.
function(weir_install_as from to_folder to_name)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${from})
    install(FILES ${from} DESTINATION ${to_folder} RENAME ${to_name})
  endif()
endfunction()

install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB guides CONFIGURE_DEPENDS docs/*.md docs/*.png)
install(FILES ${guides} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
file(GLOB configs CONFIGURE_DEPENDS configs/*.conf)
install(FILES ${configs} DESTINATION ${CMAKE_INSTALL_DATADIR}/weir/configs)
foreach(section 1 5)
  file(GLOB pages CONFIGURE_DEPENDS docs/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
weir_install_as(completions/weir.bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions weir)
weir_install_as(completions/_weir ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions _weir)
weir_install_as(completions/weir.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
                weir.fish)
