/* Writes the seeds of fuzz_formats: format_seeds DIRECTORY. */
#include "format_seed.h"

#include <stdio.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
    struct format_seed seeds[FORMAT_SEEDS];
    struct profile p;
    int failed = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: format_seeds DIRECTORY\n");
        return 2;
    }
    format_seed_profile(&p);
    format_seeds(seeds, &p);
    for (int i = 0; i < FORMAT_SEEDS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], seeds[i].name);
        FILE *f = fopen(path, "wb");
        failed |= !f || fwrite(seeds[i].bytes, 1, seeds[i].size, f) != seeds[i].size || fclose(f);
    }
    return failed;
}
