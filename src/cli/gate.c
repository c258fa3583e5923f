#include "cli/gate.h"

#include "cli/cli.h"

#include <stdio.h>

void gate_note(struct gate *g, const char *method, double growth)
{
    if (growth <= g->threshold)
        return;
    if (!g->grown++ || growth > g->most) {
        g->most = growth;
        snprintf(g->worst, sizeof g->worst, "%s", method);
    }
}

int gate_end(const struct gate *g, const char *unit, const char *hint)
{
    if (!g->grown)
        return CLI_OK;
    return cli_fail("%u method%s grew by more than %g %s; most, by at least %.2f: %s%s", g->grown, g->grown == 1 ? "" : "s",
                    100 * g->threshold, unit, 100 * g->most, g->worst, hint);
}
