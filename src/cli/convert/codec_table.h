/* Measures each compression format and level on some bytes: size, and speed in both directions. */
#ifndef CANDOR_CLI_CONVERT_CODEC_TABLE_H
#define CANDOR_CLI_CONVERT_CODEC_TABLE_H

#include <stdint.h>

/* Measures each codec by the CPU time of this thread, and prints each row as soon as it is measured. At most the first
 * CODEC_TABLE_BYTES bytes are used. Returns an exit status. */
int codec_table_print(const uint8_t *bytes, uint64_t size);
#define CODEC_TABLE_BYTES ((uint64_t)64 << 20)

#endif
