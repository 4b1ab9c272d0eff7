/* Prints the frequency and level of the strongest tone of a recording.
 *
 *     cc tone_level.c $(pkg-config --cflags --libs libweir) -o tone_level
 *     ./tone_level tone.wav
 */
#include <weir/weir.h>

#include <math.h>
#include <stdio.h>

static int on_spectrum(void *user, weir_analyzer *analyzer, const weir_analyzer_spectrum *spectrum)
{
    int *failed = user;
    double hz, level_db;
    if (weir_analyzer_peak(analyzer, NAN, NAN, &hz, &level_db) != WEIR_RESULT_OK) {
        fprintf(stderr, "%s\n", weir_analyzer_error(analyzer));
        *failed = 1;
        return 1;
    }
    printf("%.2f Hz %.2f %s\n", hz, level_db, spectrum->unit);
    return 0;
}

static weir_result analyze(weir_analyzer *analyzer, const char *source, int *failed)
{
    /* A flat-top window reads a tone's level right, wherever it lies between the bins. */
    static const char *const settings[][2] = {
        {"window", "hft90d"}, {"fft", "16384"}, {"frames", "0"}};
    weir_result result = WEIR_RESULT_OK;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0] && result == WEIR_RESULT_OK; i++) {
        result = weir_analyzer_set(analyzer, settings[i][0], settings[i][1]);
    }
    if (result == WEIR_RESULT_OK) {
        result = weir_analyzer_open(analyzer, source);
    }
    return result == WEIR_RESULT_OK ? weir_analyzer_run(analyzer, on_spectrum, failed) : result;
}

int main(int argc, char **argv)
{
    weir_analyzer *analyzer;
    int failed = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: %s SOURCE (with libweir %s)\n", argv[0], weir_version());
        return WEIR_RESULT_USAGE;
    }
    weir_result result = weir_analyzer_create(&analyzer);
    if (result == WEIR_RESULT_OK) {
        result = analyze(analyzer, argv[1], &failed);
    }
    if (result != WEIR_RESULT_OK) {
        fprintf(stderr, "%s\n",
                analyzer ? weir_analyzer_error(analyzer) : weir_result_text(result));
    }
    weir_analyzer_destroy(analyzer);
    return result != WEIR_RESULT_OK ? (int)result : failed;
}
