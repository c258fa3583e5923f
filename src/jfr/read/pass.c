#include "jfr/read/pass.h"

#include <errno.h>

int pass_run(const struct jfr_file *file, const struct pass_reader *readers, uint32_t count, struct jfr_problems *problems, struct error *e)
{
    struct jfr_declared declared = {0};
    int rc = 0;
    for (uint32_t i = 0; !rc && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open_next(&chunk, file, i, &declared, problems, e);
        if (rc || !chunk)
            continue;
        for (uint32_t k = 0; !rc && k < count; k++)
            rc = readers[k].take(readers[k].context, chunk);
        if (rc)
            error_set(e, rc, "no memory for the events of chunk %u", i);
        jfr_chunk_close(chunk);
    }
    jfr_declared_deinit(&declared);
    return rc;
}
