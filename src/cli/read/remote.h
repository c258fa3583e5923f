/* Reads from a server instead of a FILE: http://HOST:PORT or https://HOST. Options contain the query: --select, --from, --until,
 * --value; for the second side of a comparison --select2, --from2, --until2, if they are given. Functions that return a status have
 * already printed their message. */
#ifndef CANDOR_CLI_READ_REMOTE_H
#define CANDOR_CLI_READ_REMOTE_H

#include "cli/cli.h"
#include "profile/profile.h"

/* Options of the commands that read profiles. --from is in INPUT_OPTIONS, because it applies to files, too. */
#define REMOTE_OPTIONS                                                                                                                     \
    {0, "select", "SELECTOR", NULL,                                                                                                        \
     "for a server: only recordings with such labels, as in "                                                                              \
     "'service=\"shop\",host=~\"web-.*\"'"},                                                                                               \
        {0, "until", "TIME", NULL, "for a server: the end of the time range, in the format of --from (default now)"},                      \
        {0, "token-file", "FILE", NULL, "for a server: the file with the token"},                                                          \
    {                                                                                                                                      \
        0, "ca-file", "FILE", NULL, "for a server: certificates to trust instead of the system's"                                          \
    }

#define REMOTE_ABOUT                                                                                                                       \
    "Instead of a FILE you can give a server (candor server), as http://HOST:PORT or https://HOST. It returns its "                        \
    "data from --from to --until, for the recordings that --select selects. Without --from it is the last hour. A "                        \
    "time is relative to now (-1h, -30m), 2026-11-22T16:41:00Z, or seconds since the epoch, to the second. --value "                       \
    "selects the unit of the weights, such as cpu:ns. The token is read from --token-file."

enum { REMOTE_NAME_MAX = 400 };
enum remote_side { REMOTE_ONE, REMOTE_SECOND };

bool remote_is(const char *path);
/* Checks whether the options fit the operands: a time needs a server, a format needs a file. Returns CLI_OK or CLI_USAGE. */
int remote_check(const struct cli_args *args);
/* Returns the value of --from if it names a file format; otherwise NULL. */
const char *remote_file_format(const struct cli_args *args);
/* Fills an empty profile with the server's answer. Returns CLI_OK or a status. */
int remote_load(struct profile *p, const struct cli_args *args, const char *path, enum remote_side side);
/* Returns the input's name for users: the path, and for a server also the query. */
const char *remote_name(const struct cli_args *args, const char *path, enum remote_side side, char out[REMOTE_NAME_MAX]);

#endif
