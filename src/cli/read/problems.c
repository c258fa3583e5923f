#include "cli/read/problems.h"

#include "cli/cli.h"

#include <inttypes.h>

void problems_print(const char *file, const struct jfr_problems *problems)
{
    for (uint32_t i = 0; i < problems->listed; i++)
        cli_fail("%s: %s (at byte %" PRIu64 ")", file, problems->list[i].text, problems->list[i].offset);
    if (problems->count > problems->listed)
        cli_fail("%s: %" PRIu64 " more problems like these", file, problems->count - problems->listed);
}
