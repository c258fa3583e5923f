#include "server/connect/recording_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A UUID of version 8, whose bits are free: the letters "candor", then 60 bits of the number. */
static const char prefix[] = "63616e64-6f72-8000-8";

void recording_id_write(uint64_t recording, char out[RECORDING_ID_CHARS + 1])
{
    uint64_t number = recording & ((UINT64_C(1) << 60) - 1);
    snprintf(out, RECORDING_ID_CHARS + 1, "%s%03" PRIx64 "-%012" PRIx64, prefix, number >> 48, number & ((UINT64_C(1) << 48) - 1));
}

uint64_t recording_id_read(const char *text)
{
    size_t known = sizeof prefix - 1;
    uint64_t high, low;
    char digits[RECORDING_ID_CHARS];
    if (strlen(text) != RECORDING_ID_CHARS || strncasecmp(text, prefix, known) || text[known + 3] != '-')
        return 0;
    snprintf(digits, sizeof digits, "%.3s%s", text + known, text + known + 4);
    if (strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
        return 0;
    return sscanf(text + known, "%3" SCNx64 "-%12" SCNx64, &high, &low) == 2 ? high << 48 | low : 0;
}
