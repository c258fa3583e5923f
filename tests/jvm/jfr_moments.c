/* What a recording looks like whenever its process may be killed: jfr_moments DIRECTORY leaves a copy of the file after
 * each system call of the writer, writes ending at pages: NUMBER-ROUNDS.jfr, ROUNDS being those that must be in it. */
#include "jfr_sample.h"
#include "jfr_walk.h"
#include "jfr_watch.h"

#include <stdio.h>
#include <stdlib.h>

static const char *directory;
static char path[4096];
static unsigned moments, rounds;

static void keep(void)
{
    char copy[4200];
    struct jfr_bytes b = jfr_bytes_of(path);
    snprintf(copy, sizeof copy, "%s/%03u-%u.jfr", directory, moments++, rounds);
    FILE *f = fopen(copy, "w");
    if (!f || fwrite(b.data, 1, b.size, f) != b.size || fclose(f))
        exit(1);
    free(b.data);
}

int main(int argc, char **argv)
{
    struct error e;
    if (argc != 2)
        return 2;
    directory = argv[1];
    snprintf(path, sizeof path, "%s/live", directory);
    jfr_watch = (struct jfr_watch){.page_by_page = true, .look = keep};
    struct jfr_writer *w = sample_open(path, &e);
    for (unsigned i = 0; w && i < 4; i++) {
        sample_round(w, i);
        if (i == 1)
            jfr_writer_rotate(w, SAMPLE_START_TICKS + i, SAMPLE_START_EPOCH_NS, &e);
        else
            jfr_writer_flush(w, SAMPLE_START_TICKS + i, &e);
        rounds++;
    }
    return !w || jfr_writer_close(w, SAMPLE_START_TICKS + 9, &e);
}
