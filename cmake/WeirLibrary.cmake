# libweir, static and shared, with the C API of include/weir. The shared one exports what the
# header marks WEIR_API and nothing else; the static one has one object per module, so that a
# program gets what it uses. tests/test_library.sh compiles examples/ against an installation.
option(WEIR_LIBRARY "Build and install libweir" ON)
if(NOT WEIR_LIBRARY)
  return()
endif()

configure_file(include/weir/version.h.in ${PROJECT_BINARY_DIR}/include/weir/version.h @ONLY)
add_library(weir_api OBJECT lib/weir_api.c)
target_include_directories(weir_api PRIVATE include)
target_link_libraries(weir_api PRIVATE weir_core)
set_target_properties(weir_api PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)

set_target_properties(weir_core PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(weir_static STATIC $<TARGET_OBJECTS:weir_api> $<TARGET_OBJECTS:weir_core>)
add_library(weir_shared SHARED $<TARGET_OBJECTS:weir_api>)
set_target_properties(weir_static weir_shared PROPERTIES OUTPUT_NAME weir LINKER_LANGUAGE C)
set_target_properties(weir_shared PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(weir_shared PRIVATE weir_core)
target_link_options(weir_shared PRIVATE LINKER:--as-needed LINKER:--no-undefined
                    LINKER:--exclude-libs,ALL) # of the modules, too, nothing is exported
if(WEIR_SANITIZE)
  set_target_properties(weir_shared PROPERTIES EXCLUDE_FROM_ALL ON) # its runtime is the program's
endif()

# What a static link needs of others, which may be shared. Not Requires.private: libsndfile's own
# list names libraries that Debian's libsndfile1-dev does not bring.
set(WEIR_PC_LIBS_PRIVATE "-lfftw3f")
foreach(pair SNDFILE:sndfile JANSSON:jansson PORTAUDIO:portaudio RTLSDR:rtlsdr SOAPY:SoapySDR)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 option_name)
  list(GET pair 1 library)
  if(WEIR_HAVE_${option_name})
    string(APPEND WEIR_PC_LIBS_PRIVATE " -l${library}")
  endif()
endforeach()

if(NOT WEIR_SANITIZE)
  install(TARGETS weir_shared weir_static LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES include/weir/weir.h ${PROJECT_BINARY_DIR}/include/weir/version.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir)
  # Written when the prefix is known: cmake --install may be given another one.
  install(CODE "
    set(PROJECT_VERSION ${PROJECT_VERSION})
    set(WEIR_PC_LIBS_PRIVATE \"${WEIR_PC_LIBS_PRIVATE}\")
    set(WEIR_PC_INCLUDEDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
    set(WEIR_PC_LIBDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
    configure_file(${PROJECT_SOURCE_DIR}/lib/libweir.pc.in ${PROJECT_BINARY_DIR}/libweir.pc @ONLY)")
  install(FILES ${PROJECT_BINARY_DIR}/libweir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(GLOB weir_examples CONFIGURE_DEPENDS examples/*.c)
  install(FILES ${weir_examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
endif()
