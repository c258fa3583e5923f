/* Reads the input of a command: recordings and profiles of all formats, merged and filtered according to the command's options. All
 * commands that read input have the same options, which their tables take from these macros. Functions that return a status have already
 * printed their message. */
#ifndef CANDOR_CLI_READ_INPUT_H
#define CANDOR_CLI_READ_INPUT_H

#include "cli/cli.h"
#include "cli/read/remote.h"
#include "format/read/formats.h"
#include "profile/filter.h"

#define INPUT_OPTIONS                                                                                                                      \
    {0, "from", "FORMAT|TIME", NULL,                                                                                                       \
     "for files: their format (" FORMATS_READ "), if the content does not show it; for a server: the start of the "                        \
     "time range (default -1h)"},                                                                                                          \
        REMOTE_OPTIONS,                                                                                                                    \
        {0, "value", "NAME", NULL,                                                                                                         \
         "which value of a profile with several (pprof, otlp, servers); for collapsed "                                                    \
         "stacks samples or ns"},                                                                                                          \
        {0, "time", "RANGE", NULL,                                                                                                         \
         "only samples in this time: +10s..+20s from the start, -5s.. to the end, 12:03:07..12:03:09, or absolute times"},                 \
        {0, "thread", "REGEX", NULL, "only threads with such a name (regular expressions are in RE2's syntax)"},                           \
        {0, "state", "LIST", NULL, "only threads in such a state: runnable, in_native, parked, ..."},                                      \
        {0, "method", "REGEX", NULL, "only samples with such a method on the stack"},                                                      \
        {0, "not-method", "REGEX", NULL, "without samples that have such a method on the stack"},                                          \
        {0, "package", "REGEX", NULL, "only samples with such a package, or native library, on the stack"},                                \
        {0, "not-package", "REGEX", NULL, "without samples that have such a package or library on the stack"},                             \
        {0, "label", "KEY=REGEX", NULL, "only samples with such a label, which tracing or the application has set"},                       \
        {0, "not-label", "KEY=REGEX", NULL, "without samples that have such a label"},                                                     \
        {0, "type", "LIST", NULL, "only samples whose innermost frame is of such a type: interpreted, inlined, kernel, ..."},              \
        {0, "full-names", NULL, NULL,                                                                                                      \
         "show names as recorded; by default a * replaces what differs in each run: addresses of hidden classes, random "                  \
         "parts of library names"},                                                                                                        \
        CLI_UNPACK_OPTION

#define INPUT_FORMATS                                                                                                                      \
    "The content shows the format of a file: " FORMATS_READ_WORDS "; "                                                                     \
    "docs/formats/others.md describes them. '-' is standard input. Several files are read as one: their samples and "                      \
    "books add up.\n\n" REMOTE_ABOUT

#define INPUT_FILTERS                                                                                                                      \
    "A filter drops whole samples. Shares then refer to what is shown; the first lines say how much that is, and how "                     \
    "much was filtered. The books remain those of the whole recording."

/* Compiles the option's regular expression if the option was given. Returns CLI_OK, or CLI_USAGE after printing the reason. */
int input_pattern(const struct cli_args *args, const char *option, struct filter_pattern *pattern);
/* Reads the kind of samples that --kind chooses. Returns CLI_OK or a status. */
int input_kind(const struct cli_args *args, enum profile_kind *kind);
/* Reads samples of that kind. If kind is PROFILE_RUNNING and the recording has only allocations, reads these instead, unless --kind says
 * cpu. The profile's kind says which samples were read. Returns CLI_OK or a status. */
int input_load(struct profile *p, const struct cli_args *args, char **paths, int count, enum profile_kind kind);
/* Reads samples of that kind if there are any. If there are none, the profile stays empty, which is not an error. For files only. */
int input_load_more(struct profile *p, const struct cli_args *args, char **paths, int count, enum profile_kind kind);
/* Leaves only those samples that the options choose, of all samples of a kind of the file. Returns CLI_OK or a status. */
int input_filter(struct profile *p, const struct cli_args *args, const char *path);
/* Reads one side of a comparison. Returns CLI_OK or a status. */
int input_load_side(struct profile *p, const struct cli_args *args, char *path, enum remote_side side, enum profile_kind kind);
/* Reads a file without any options. Returns CLI_OK or a status. */
int input_load_plain(struct profile *p, const char *path, enum profile_kind kind);

#endif
