/* What the settings say of a view, whatever it shows. Pure. */
#ifndef WEIR_APP_VIEW_SETTINGS_H
#define WEIR_APP_VIEW_SETTINGS_H

#include "app/settings.h"
#include "display/view.h"

/* Borrows the settings' texts. What is of a source is left at its default. */
weir_view_config weir_view_config_of(const weir_settings *settings);

#endif
