# The Python that runs tests: one that has numpy, if there is one. The distribution's own
# comes first, because that is where python3-numpy and python3-scipy put their modules; a
# python3 earlier in PATH (pyenv, conda) often has neither. Sets WEIR_PYTHON.
function(weir_find_python)
  if(WEIR_PYTHON)
    return()
  endif()
  find_program(from_path NAMES python3 NO_CACHE)
  set(usable "")
  foreach(module numpy sys)
    foreach(candidate /usr/bin/python3 ${from_path})
      if(NOT usable AND EXISTS ${candidate})
        execute_process(COMMAND ${candidate} -c "import ${module}" RESULT_VARIABLE failed
                        OUTPUT_QUIET ERROR_QUIET)
        if(NOT failed)
          set(usable ${candidate})
        endif()
      endif()
    endforeach()
  endforeach()
  set(WEIR_PYTHON "${usable}" CACHE FILEPATH "Python 3 for the tests, best with numpy and scipy"
      FORCE)
endfunction()
weir_find_python()
