/* `candor record --to URL`: sends the recording to a server, or to another back end (src/emit/). */
#ifndef CANDOR_CLI_RECORD_SENDING_H
#define CANDOR_CLI_RECORD_SENDING_H

#include "cli/cli.h"
#include "daemon/rules/labels.h"
#include "emit/target.h"

#define SENDING_OPTIONS                                                                                                                    \
    {0, "to", "URL", NULL,                                                                                                                 \
     "also send the recording: to a candor server (http://HOST:PORT), as OTLP profiles (otlp+http://HOST:4318) or to Pyroscope "           \
     "(pyroscope+http://HOST:4040), each also with https"},                                                                                \
        {0, "token-file", "FILE", NULL, "with --to: the file with the token"},                                                             \
        {0, "ca-file", "FILE", NULL, "with --to: certificates to trust instead of the system's"},

struct sending {
    bool wanted;
    struct emit_target target;
    char query[LABELS_QUERY_MAX]; /* labels of the recording */
};

/* Reads the options. Returns CLI_OK, or a status after printing an error. */
int sending_read(struct sending *s, const struct cli_args *args);
/* Find the labels of a running JVM, or of one that will be started with this command, by the daemon's rules for labels. */
void sending_name_process(struct sending *s, pid_t pid);
void sending_name_command(struct sending *s, char *const *command);
/* Sends the file, unless s is NULL or no option asks for it. Tries three times. Returns CLI_OK, or CLI_FAILED after printing an error.
 * The file is kept in any case. */
int sending_send(const struct sending *s, const struct cli_args *args, const char *path);

#endif
