/* The kinds of option values. Each reads text into a field and writes it back. */
#ifndef WEIR_APP_OPTION_TYPES_H
#define WEIR_APP_OPTION_TYPES_H

#include "app/options.h"

extern const weir_option_type weir_type_flag;           /* bool                       */
extern const weir_option_type weir_type_counted;        /* unsigned: -v -v            */
extern const weir_option_type weir_type_text;           /* char *, owned              */
extern const weir_option_type weir_type_hz;             /* double, NAN or 0 unset     */
extern const weir_option_type weir_type_seconds;        /* double, 0 or INFINITY unset */
extern const weir_option_type weir_type_count;          /* uint64_t, 0 unset          */
extern const weir_option_type weir_type_number;         /* double, 0 unset            */
extern const weir_option_type weir_type_db;             /* double, 0 unset            */
extern const weir_option_type weir_type_choice;         /* int, by option->choices    */
extern const weir_option_type weir_type_overlap;        /* double, NAN unset          */
extern const weir_option_type weir_type_speed;          /* double, NAN unset          */
extern const weir_option_type weir_type_average;        /* weir_line_average               */
extern const weir_option_type weir_type_trace_average;  /* weir_trace_average              */
extern const weir_option_type weir_type_range_hz;       /* weir_range                 */
extern const weir_option_type weir_type_range_db;       /* weir_range                 */
extern const weir_option_type weir_type_outputs;        /* weir_outputs              */
extern const weir_option_type weir_type_texts;          /* weir_texts                */
extern const weir_option_type weir_type_seconds_or_nan; /* double, NAN unset; 0 is a value */
extern const weir_option_type weir_type_gain;           /* char *: decibels or auto  */
extern const weir_option_type weir_type_pairs;          /* weir_pairs                */

extern const weir_option_type weir_type_part;          /* double, 0 .. 1, 0 unset */
extern const weir_option_type weir_type_tolerances_db; /* weir_tolerance_list  */
extern const weir_option_type weir_type_tolerances_hz; /* weir_tolerance_list  */

#endif
