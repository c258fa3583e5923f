/* Reads the options of candor-server: those of the command line, and those of the file of --config, which has the same options by the same
 * names, checked in the same way. */
#ifndef CANDOR_CLI_SERVER_SETTINGS_H
#define CANDOR_CLI_SERVER_SETTINGS_H

#include "base/error.h"
#include "cli/cli.h"
#include "server/request/context.h"

struct settings {
    struct server_options options; /* its texts are those of the command line, or belong to this struct */
    uint64_t unpacked;             /* --max-unpacked */
    struct cli_args args;          /* the options of the command line, completed by those of the file */
    char *texts[CLI_OPTIONS_MAX];  /* the values from the file */
    char data[2048];               /* the default of options.data */
};

/* Returns NULL if there is no memory. */
struct settings *settings_new(void);
void settings_free(void *settings);
/* Reads all options. `line` must outlive the settings. Returns 0, or a code with a message in e, which names the option, and the line if
 * it is in the file. */
int settings_read(struct settings *s, const struct cli_args *line, struct error *e);

#endif
