/* Writes the sample recording of tests/unit/jfr_sample.c: jfr_write_sample FILE CHUNKS FLUSHES. */
#include "jfr_sample.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: jfr_write_sample FILE CHUNKS FLUSHES\n");
        return 2;
    }
    struct error e;
    int rc = sample_write(argv[1], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]), &e);
    if (rc)
        fprintf(stderr, "%s\n", e.text);
    return rc ? 1 : 0;
}
