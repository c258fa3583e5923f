/* The frame of the program `candor`. Each command is a row of one table. Help, shell completion, man pages and usage errors are made from
 * the rows.
 *
 * To add a command: write commands/cmd_NAME.c with its options and a `const struct cli_command command_NAME`, declare it below, and add
 * it to the table in main.c. */
#ifndef CANDOR_CLI_CLI_H
#define CANDOR_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses. Scripts rely on them. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

enum { CLI_OPTIONS_MAX = 88 };

/* The kind of a command's operands, for shell completion. */
enum cli_operand { CLI_NOTHING, CLI_FILE, CLI_PROCESS, CLI_COMMAND_NAME, CLI_CASE, CLI_SHELL };

/* An option of a command. If `value` is LIST, `choices` has the words that the list may contain, and the command checks them. */
struct cli_option {
    char letter;         /* 'd' for -d, or 0 */
    const char *name;    /* "duration" for --duration */
    const char *value;   /* "TIME" if the option takes a value, NULL for a switch */
    const char *choices; /* the allowed values: "auto|signal"; "cpu|wall|..." if others are possible, too; NULL = any */
    const char *help;    /* half a sentence, lower case, no full stop */
    const char *without; /* the value if none is given; any other is written as --name=VALUE. NULL = the option needs a value */
};

#define CLI_OPEN "|..." /* the end of `choices` that are not complete */

/* An option of all commands that read recordings. main.c carries it out. */
#define CLI_UNPACK_OPTION                                                                                                                  \
    {                                                                                                                                      \
        0, "max-unpacked", "SIZE", NULL, "refuse a packed FILE that unpacks to more (default 8G, or 200 times its size)"                   \
    }

struct cli_args;

struct cli_command {
    const char *name;      /* "record" */
    const char *arguments; /* "[OPTION...] (PID | NAME | -- COMMAND...)" */
    const char *summary;   /* one line, lower case, no full stop */
    const char *about;     /* paragraphs separated by an empty line, for --help and the man page; may be NULL */
    const char *examples;  /* "command\n    what it does\n" pairs, for --help and the man page; may be NULL */
    const char *often;     /* the options that most users need, as in "duration,output"; NULL = help is short enough to have all of them */
    const struct cli_option *options; /* ends with a row whose name is NULL; NULL = none. Every command also has --help */
    enum cli_operand operand;
    int operands_min, operands_max;          /* checked before run; operands_max -1 = any number */
    bool dash_dash;                          /* "-- COMMAND..." may replace the operands */
    int (*run)(const struct cli_args *args); /* returns an exit status */
};

/* The command line of one command, checked against the command's row. The strings are those of argv. */
struct cli_args {
    const struct cli_command *command;
    const char *values[CLI_OPTIONS_MAX]; /* indexed as the options; "" for a switch that is set; the last value if given twice */
    int operand_count;
    char **operands;
    bool after_dashes; /* the operands followed a "--" that came directly after the options (only for commands with dash_dash) */
};

/* Returns the value of option --name, or NULL if it was not given. name must be in the command's table. */
const char *cli_option(const struct cli_args *args, const char *name);
bool cli_switch(const struct cli_args *args, const char *name);
/* Whether the operand is a FILE, not a PID or NAME, for commands that take either. A number is a process. Any other operand is a file if
 * a file of that name exists, or if it looks like a file's name. */
bool cli_is_file(const char *operand);
/* Refuses an output file that is one of the other operands, because that operand would be lost. path may be an operand itself. Returns
 * CLI_OK, or CLI_USAGE after printing an error. */
int cli_check_output(const struct cli_args *args, const char *path);
/* Reads a duration option in ns; `otherwise` if it was not given. Returns 0, or CLI_USAGE after printing an error. */
int cli_duration(const struct cli_args *args, const char *name, unsigned long long otherwise, unsigned long long *ns);

/* Reads an option that is a whole number from 0 to 2^31 - 1; `otherwise` if it was not given. Returns 0, or CLI_USAGE after printing an
 * error. */
int cli_number(const struct cli_args *args, const char *name, uint32_t otherwise, uint32_t *out);
/* Reads a percentage of at least `least` percent into a share; `otherwise` if it was not given. Returns 0, or CLI_USAGE after printing
 * an error. */
int cli_percent(const struct cli_args *args, const char *name, double otherwise, double least, double *share);

/* Prints one line "candor: TEXT" on standard error. Returns CLI_FAILED. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints such a line for wrong usage, which also refers to the command's help (command may be NULL). Returns CLI_USAGE. */
int cli_usage(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flushes stdout. Returns CLI_OK, or CLI_FAILED after an error line if the output could not be written. */
int cli_finish_output(void);

/* Returns the terminal's width in columns; 0 if f is not a terminal. Lines may then have any length. */
unsigned cli_width(FILE *f);
/* Whether f is a terminal and the user did not switch colors off (NO_COLOR, TERM=dumb). */
bool cli_colour(FILE *f);

/* The table of commands, in the order of the help. It ends with NULL. */
extern const struct cli_command *const cli_commands[];
const struct cli_command *cli_find(const char *name);
/* Returns the name that is most similar to a mistyped one, or NULL if no name is similar. name_at returns the name at an index, and NULL
 * at the end. */
const char *cli_nearest(const char *typed, const char *(*name_at)(const void *context, size_t i), const void *context);

/* What cli_parse returns for --help, and for --help=all. */
enum { CLI_HELP = -1, CLI_HELP_ALL = -2 };

/* Reads argv[1..] into args. Returns CLI_OK, CLI_USAGE after printing the reason, or one of the above. */
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *args);

extern const struct cli_command command_list;       /* cmd_list.c */
extern const struct cli_command command_doctor;     /* cmd_doctor.c */
extern const struct cli_command command_record;     /* cmd_record.c */
extern const struct cli_command command_top;        /* cmd_top.c */
extern const struct cli_command command_start;      /* cmd_control.c */
extern const struct cli_command command_stop;       /* cmd_control.c */
extern const struct cli_command command_dump;       /* cmd_control.c */
extern const struct cli_command command_status;     /* cmd_control.c */
extern const struct cli_command command_report;     /* cmd_report.c */
extern const struct cli_command command_analyze;    /* cmd_analyze.c */
extern const struct cli_command command_diagnose;   /* cmd_diagnose.c */
extern const struct cli_command command_asm;        /* cmd_asm.c */
extern const struct cli_command command_trace;      /* cmd_trace.c */
extern const struct cli_command command_print;      /* cmd_print.c */
extern const struct cli_command command_summary;    /* cmd_summary.c */
extern const struct cli_command command_convert;    /* cmd_convert.c */
extern const struct cli_command command_diff;       /* cmd_diff.c */
extern const struct cli_command command_scrub;      /* cmd_scrub.c */
extern const struct cli_command command_load;       /* cmd_load.c */
extern const struct cli_command command_hist;       /* cmd_hist.c */
extern const struct cli_command command_server;     /* cmd_server.c */
extern const struct cli_command command_fleet;      /* cmd_fleet.c */
extern const struct cli_command command_verify;     /* cmd_verify.c */
extern const struct cli_command command_daemon;     /* cmd_daemon.c */
extern const struct cli_command command_help;       /* cmd_help.c */
extern const struct cli_command command_completion; /* cmd_completion.c */
extern const struct cli_command command_version;    /* main.c */

/* Runs `candor server`. In candor it starts the program candor-server (server/exec.c); in candor-server it runs the server itself
 * (server/main.c). */
int server_command_run(const struct cli_args *args);

/* Prints a command's help: all of it, or in brief if the command has much. Returns an exit status (cmd_help.c). */
int help_print(const struct cli_command *command, bool all);

/* Print what `record` shows at its end. All of them print their own error line and return an exit status. */
int report_print_summary(const char *file, FILE *out); /* cmd_report.c: prints the short report, then the books */
int report_print_live(const char *file, FILE *out);    /* prints the short report on live objects, of a recording with the event live */
/* cmd_convert.c: writes the flame graph; replaces only candor's own files. range: the only time to show, as for --time; NULL = all */
int convert_own_page(const char *in, const char *out, const char *range);

struct profile;
/* Prints the profile as `report --json` does; this may change its stacks. Returns 0 or a negative code. (cmd_report.c) */
int report_print_json(struct profile *p, FILE *out);

#endif
