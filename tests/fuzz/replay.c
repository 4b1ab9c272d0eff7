/* Runs a fuzz target over kept inputs, without libFuzzer: replay FOLDER. So that what was
 * once found and mended stays mended, in every build and with every compiler. */
#include "tests/fuzz/in_memory.h"

#include <dirent.h>

static void run_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size ? size : 1); /* exactly: a read beyond the end is seen */
    if (!data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    fprintf(stderr, "%s\n", name); /* at once: a crash leaves its input's name */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    unsigned n = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] != '.') {
            run_file(argv[1], entry->d_name);
            n++;
        }
    }
    closedir(folder);
    printf("%u inputs\n", n);
    return n == 0;
}
