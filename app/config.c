#include "app/config.h"

#include "app/options.h"
#include "base/text.h"
#include "weir_config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT_VERSION 1

#if WEIR_HAVE_CONFUSE
#include <confuse.h>

#define MOST_KEYS (WEIR_MOST_OPTIONS + 2) /* and the format's version, and the end */

/* libconfuse reports through a callback without a user pointer, so the report in
 * progress is kept per thread. */
static _Thread_local weir_error *current_error;

static void suggest_key(const char *text, char *hint, size_t size)
{
    const char *names[MOST_KEYS];
    char key[64];
    size_t n = 0;
    hint[0] = '\0';
    if (sscanf(text, "no such option '%63[^']'", key) != 1) {
        return;
    }
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)) && n < MOST_KEYS - 1; i++) {
        if (!option->not_in_config) {
            names[n++] = option->name;
        }
    }
    names[n] = NULL;
    const char *nearest = weir_nearest_name(key, names);
    if (nearest) {
        snprintf(hint, size, "; did you mean %s?", nearest);
    }
}

__attribute__((format(printf, 2, 0))) static void on_config_error(cfg_t *cfg, const char *format,
                                                                  va_list args)
{
    char text[256], hint[96];
    if (!current_error || current_error->status != WEIR_OK) {
        return; /* the first one says what is wrong; the rest follow from it */
    }
    weir_vsnprintf(text, sizeof text, format, args);
    suggest_key(text, hint, sizeof hint);
    (void)weir_fail(current_error, WEIR_ERR_CONFIG, "%s:%d: %s%s",
                    cfg && cfg->filename ? cfg->filename : "configuration", cfg ? cfg->line : 0,
                    text, hint);
}

/* Values are checked as they are parsed, while libconfuse still knows the line. */
static int check_value(cfg_t *cfg, cfg_opt_t *opt)
{
    weir_settings scratch;
    weir_error err = {0};
    const weir_option *option = weir_option_find(opt->name);
    const char *text = cfg_opt_getnstr(opt, cfg_opt_size(opt) - 1);
    weir_settings_init(&scratch);
    weir_status status = weir_option_set(option, &scratch, text, &err);
    weir_settings_free(&scratch);
    if (status != WEIR_OK) {
        cfg_error(cfg, "%s: %s", opt->name, err.text);
        if (status == WEIR_ERR_NOMEM && current_error) {
            current_error->status = status; /* the file is not to blame */
        }
        return -1;
    }
    return 0;
}

static void make_keys(cfg_opt_t *keys)
{
    const cfg_opt_t *last = keys + MOST_KEYS - 1;
    *keys++ = (cfg_opt_t)CFG_INT("config", 0, CFGF_NONE);
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)) && keys < last; i++) {
        if (!option->not_in_config) {
            *keys++ = (cfg_opt_t)CFG_STR(option->name, NULL, CFGF_NODEFAULT);
        }
    }
    *keys = (cfg_opt_t)CFG_END();
}

static weir_status check_version(cfg_t *cfg, const char *path, weir_error *err)
{
    long version = cfg_getint(cfg, "config");
    if (version == FORMAT_VERSION) {
        return WEIR_OK;
    }
    if (version == 0) {
        return weir_fail(err, WEIR_ERR_CONFIG, "%s: the line \"config = %d\" is missing", path,
                         FORMAT_VERSION);
    }
    return weir_fail(err, WEIR_ERR_CONFIG,
                     "%s: written for format %ld; this weir %s reads format %d", path, version,
                     WEIR_VERSION, FORMAT_VERSION);
}

static weir_status take_values(cfg_t *cfg, weir_settings *settings, weir_error *err)
{
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        if (option->not_in_config || cfg_size(cfg, option->name) == 0) {
            continue;
        }
        const char *text = cfg_getstr(cfg, option->name);
        if (text && weir_option_set(option, settings, text, err) != WEIR_OK) {
            return weir_fail_context(err, "%s", option->name);
        }
    }
    return WEIR_OK;
}

static weir_status parse_file(cfg_t *cfg, const char *path, weir_settings *settings,
                              weir_error *err)
{
    weir_error report = {0};
    current_error = &report;
    int result = cfg_parse(cfg, path);
    current_error = NULL;
    if (result == CFG_FILE_ERROR) {
        return weir_fail(err, WEIR_ERR_NO_INPUT, "%s: cannot open: %s", path, strerror(errno));
    }
    if (result != CFG_SUCCESS) {
        return report.status == WEIR_OK
                   ? weir_fail(err, WEIR_ERR_CONFIG, "%s: not a configuration file", path)
                   : weir_fail(err, report.status, "%s", report.text);
    }
    weir_status status = check_version(cfg, path, err);
    return status != WEIR_OK ? status : take_values(cfg, settings, err);
}

weir_status weir_config_read(const char *path, weir_settings *settings, weir_error *err)
{
    cfg_opt_t keys[MOST_KEYS];
    make_keys(keys);
    cfg_t *cfg = cfg_init(keys, CFGF_NONE);
    if (!cfg) {
        return weir_fail(err, WEIR_ERR_NOMEM, "%s: out of memory", path);
    }
    cfg_set_error_function(cfg, on_config_error);
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        if (!option->not_in_config) {
            cfg_set_validate_func(cfg, option->name, check_value);
        }
    }
    weir_status status = parse_file(cfg, path, settings, err);
    cfg_free(cfg);
    return status;
}

#else

weir_status weir_config_read(const char *path, weir_settings *settings, weir_error *err)
{
    (void)settings;
    return weir_fail(err, WEIR_ERR_UNSUPPORTED,
                     "%s: this build reads no configuration files (built without libconfuse)",
                     path);
}

#endif

static weir_status read_if_there(const char *folder, const char *rest, weir_settings *settings,
                                 weir_error *err)
{
    char path[4096];
    /* Relative folders in the XDG variables are to be ignored, by their specification. */
    if (!folder || folder[0] != '/' ||
        (size_t)snprintf(path, sizeof path, "%s%s/weir/weir.conf", folder, rest) >= sizeof path) {
        return WEIR_OK;
    }
    return access(path, F_OK) == 0 ? weir_config_read(path, settings, err) : WEIR_OK;
}

weir_status weir_config_read_defaults(weir_settings *settings, weir_error *err)
{
    if (!WEIR_HAVE_CONFUSE) {
        return WEIR_OK;
    }
    weir_status status = read_if_there("/etc/xdg", "", settings, err);
    if (status != WEIR_OK) {
        return status;
    }
    const char *xdg = getenv("XDG_CONFIG_HOME");
    bool has_xdg = xdg && xdg[0] == '/';
    return read_if_there(has_xdg ? xdg : getenv("HOME"), has_xdg ? "" : "/.config", settings, err);
}

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '$') { /* ${NAME} is the environment's */
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('"');
}

void weir_config_dump(const weir_settings *settings)
{
    printf("# weir %s: the settings in force\nconfig = %d\n", WEIR_VERSION, FORMAT_VERSION);
    const char *title = "";
    const weir_option *option;
    for (size_t i = 0; (option = weir_option_at(i)); i++) {
        char value[4200];
        if (option->not_in_config) {
            continue;
        }
        if (weir_option_group_title(option->group) != title) {
            title = weir_option_group_title(option->group);
            printf("\n# %s\n", title);
        }
        weir_option_get(option, settings, value, sizeof value);
        printf("%s%s = ", value[0] ? "" : "# ", option->name);
        print_quoted(value);
        printf("%*s# %s\n", (int)(value[0] ? 2 : 1), "", option->help);
    }
}
