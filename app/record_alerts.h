/* weir record --alert: the same recording, with the stream analysed on its way. */
#ifndef WEIR_APP_RECORD_ALERTS_H
#define WEIR_APP_RECORD_ALERTS_H

#include "app/settings.h"
#include "base/status.h"

/* Source -> ring -> engine and alerts; every sample also goes to a recorder's ring. */
weir_status weir_record_with_alerts(const weir_settings *settings, const char *source,
                                    weir_error *err);

#endif
