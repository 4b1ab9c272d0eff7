/* weir devices --test SOURCE: counts what is lost between a dongle and us. Main thread. */
#ifndef WEIR_APP_DEVICE_TEST_H
#define WEIR_APP_DEVICE_TEST_H

#include "app/settings.h"
#include "base/status.h"

/* An RTL2832U in test mode sends a counter of 8 bits instead of samples: each byte is the
 * one before plus one. A jump is a loss, known modulo 256 bytes; what the source itself
 * reports is added. Prints the result; WEIR_DIFFERS if anything was lost. */
weir_status weir_device_test(const weir_settings *settings, const char *source, weir_error *err);

#endif
