/* Shows what a recording looks like at every moment at which its process may be killed. jfr_moments DIRECTORY leaves a copy of the file
 * after each system call of the writer, where writes may end at any page: NUMBER-ROUNDS.jfr. ROUNDS is the number of rounds that must be
 * in it. jfr_moments DIRECTORY ring: the same for a recording that removes its oldest chunks, with one round in each chunk. */
#include "jfr/write/writer_ring.h"
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

static int write_rounds(void)
{
    struct error e;
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

static int write_ring(void)
{
    struct error e;
    struct jfr_writer *w = sample_open_ring(path, &e);
    for (unsigned i = 0; w && i < 7; i++) {
        sample_round(w, i);
        jfr_writer_rotate(w, SAMPLE_START_TICKS + i, SAMPLE_START_EPOCH_NS, &e);
        rounds++;
        if (jfr_ring_chunks(w) < 3)
            continue;
        rounds--;
        jfr_ring_give_up(w, 1, &e);
        jfr_ring_close_up(w, &e);
    }
    return !w || jfr_writer_close(w, SAMPLE_START_TICKS + 9, &e);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    directory = argv[1];
    snprintf(path, sizeof path, "%s/live", directory);
    jfr_watch = (struct jfr_watch){.page_by_page = true, .look = keep};
    return argc > 2 ? write_ring() : write_rounds();
}
