/* The sources of this build, for the table in source.c only: one line here and one row
 * there add a source. */
#ifndef WEIR_CAPTURE_SOURCES_H
#define WEIR_CAPTURE_SOURCES_H

#include "capture/source.h"

extern const weir_source_class weir_source_synth;  /* synth.c */
extern const weir_source_class weir_source_fault;  /* fault.c */
extern const weir_source_class weir_source_mic;    /* mic.c, PortAudio     */
extern const weir_source_class weir_source_rtlsdr; /* rtlsdr.c, librtlsdr  */
extern const weir_source_class weir_source_rtltcp; /* rtltcp.c, sockets    */
extern const weir_source_class weir_source_soapy;  /* soapy.c, SoapySDR    */
extern const weir_source_class weir_source_tuner;  /* tuner.c */
extern const weir_source_class weir_source_file;   /* file.c; takes any argument, so it is last */

#endif
