/* Writes the seeds of fuzz_jfr_reader: jfr_seeds DIRECTORY. */
#include "jfr_craft.h"

#include "jfr_sample.h"

#include <stdio.h>

static int write_crafted(const char *path)
{
    struct buffer b;
    buffer_init(&b, 1 << 20);
    craft_everything(&b);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(b.data, 1, b.len, f) == b.len;
    if (f && fclose(f))
        good = false;
    buffer_deinit(&b);
    return good ? 0 : -1;
}

int main(int argc, char **argv)
{
    char path[4096];
    struct error e = {"cannot write the seed"};
    if (argc != 2) {
        fprintf(stderr, "usage: jfr_seeds DIRECTORY\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/crafted.jfr", argv[1]);
    int rc = write_crafted(path);
    snprintf(path, sizeof path, "%s/small.jfr", argv[1]);
    if (!rc)
        rc = sample_write_small(path, &e);
    if (rc)
        fprintf(stderr, "%s: %s\n", path, e.text);
    return rc ? 1 : 0;
}
