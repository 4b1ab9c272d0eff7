# Hardening flags, on the interface target given. Off in sanitizer builds, which have
# checks of their own that _FORTIFY_SOURCE would hide.
option(WEIR_HARDEN "Stack protector, fortified libc calls, full RELRO, PIE" ON)

function(weir_harden target)
  if(NOT WEIR_HARDEN OR WEIR_SANITIZE)
    return()
  endif()
  # -U first: some distributions define it in the compiler. It needs an optimised build.
  target_compile_options(${target} INTERFACE
    "$<$<COMPILE_LANGUAGE:C>:-fstack-protector-strong>"
    "$<$<AND:$<COMPILE_LANGUAGE:C>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(${target} INTERFACE LINKER:-z,relro,-z,now)
endfunction()

if(WEIR_HARDEN)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
