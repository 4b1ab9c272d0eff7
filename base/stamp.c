#include "base/stamp.h"

#include "base/text.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_IN_A_SECOND 100

bool weir_recording_is_there(const char *path)
{
    char samples[PATH_MAX];
    if (access(path, F_OK) == 0) {
        return true;
    }
    size_t n = strlen(path);
    if (weir_path_ending(path, ".sigmf-meta") == 0 || n >= sizeof samples) {
        return false;
    }
    strcpy(samples, path);
    strcpy(samples + n - strlen("meta"), "data");
    return access(samples, F_OK) == 0;
}

weir_status weir_stamp_path(char *path, size_t size, const char *folder, const char *detail,
                            const char *ending, weir_error *err)
{
    char stamp[32] = "", number[8] = "";
    time_t now = time(NULL);
    struct tm utc;
    const char *slash = folder && folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
    if (gmtime_r(&now, &utc)) {
        strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
    }
    for (int i = 2; i <= MOST_IN_A_SECOND; i++) {
        int length = weir_snprintf(path, size, "%s%sweir-%s%s%s%s%s", folder ? folder : "", slash,
                                   stamp, detail[0] ? "-" : "", detail, number, ending);
        if (length < 0 || (size_t)length >= size) {
            return weir_fail(err, WEIR_ERR_USAGE, "%s: the name is too long", folder);
        }
        if (!weir_recording_is_there(path)) {
            return WEIR_OK;
        }
        weir_snprintf(number, sizeof number, "-%d", i);
    }
    return weir_fail(err, WEIR_ERR_CANT_CREATE, "%s: there already", path);
}
