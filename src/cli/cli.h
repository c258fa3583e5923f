/* The frame of the program `candor`: commands are rows of one table, and everything that a user sees of them (help, shell
 * completion, man pages, usage errors) is made from the rows.
 *
 * To add a command: write commands/cmd_NAME.c with its options and a `const struct cli_command command_NAME`, declare it
 * below, and put it into the table of main.c. */
#ifndef CANDOR_CLI_CLI_H
#define CANDOR_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses, a contract with scripts. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

enum { CLI_OPTIONS_MAX = 40 };

/* What the operands of a command are, for shell completion. */
enum cli_operand { CLI_NOTHING, CLI_FILE, CLI_PROCESS, CLI_COMMAND_NAME, CLI_CASE, CLI_SHELL };

struct cli_option {
    char letter;         /* 'd' for -d, or 0 */
    const char *name;    /* "duration" for --duration */
    const char *value;   /* "TIME" when it takes a value, NULL for a switch */
    const char *choices; /* "auto|signal" when only these values are good, "cpu|wall|..." when others may be; of the value LIST words of
                            it, which the command checks; else NULL */
    const char *help;    /* half a sentence, lower case, no full stop */
    const char *without; /* the value where it is given without one: it is written --name=VALUE then; NULL = it needs one */
};

#define CLI_OPEN "|..." /* how choices end that are not all */

/* A row of the commands that read recordings; main.c sees to it. */
#define CLI_UNPACK_OPTION                                                                                                                  \
    {                                                                                                                                      \
        0, "max-unpacked", "SIZE", NULL, "refuse a packed FILE that unpacks to more (default 8G, or 200 times its size)"                   \
    }

struct cli_args;

struct cli_command {
    const char *name;                 /* "record" */
    const char *arguments;            /* "[OPTION...] (PID | NAME | -- COMMAND...)" */
    const char *summary;              /* one line, lower case, no full stop */
    const char *about;                /* paragraphs split by an empty line, for --help and the man page; may be NULL */
    const char *examples;             /* "command\n    what it does\n" pairs, for --help and the man page; may be NULL */
    const struct cli_option *options; /* ends with a row whose name is NULL; NULL = none. --help is added to all */
    enum cli_operand operand;
    int operands_min, operands_max;          /* checked before run; max -1 = any number */
    bool dash_dash;                          /* "-- COMMAND..." may stand for the operands */
    int (*run)(const struct cli_args *args); /* returns an exit status */
};

/* The command line of one command, checked against its row. Points into argv. */
struct cli_args {
    const struct cli_command *command;
    const char *values[CLI_OPTIONS_MAX]; /* by option row; "" for a switch that is set; the last one given counts */
    int operand_count;
    char **operands;
    bool after_dashes; /* the operands are what followed "--" at once (only for commands with dash_dash) */
};

/* The value of option --name, or NULL when it was not given. name must be in the command's table. */
const char *cli_option(const struct cli_args *args, const char *name);
bool cli_switch(const struct cli_args *args, const char *name);
/* For commands that take a FILE or a process: whether the operand is a FILE, not a PID or NAME. A number is a process. An operand is
 * a file if a file of that name exists, or if it looks like a file's name. */
bool cli_is_file(const char *operand);
/* Refuses an output file that is one of the other operands, because that would be lost. path may be an operand itself. CLI_OK, or CLI_USAGE
 * after saying so. */
int cli_check_output(const struct cli_args *args, const char *path);
/* A duration option in ns, or `otherwise` when not given. 0, or CLI_USAGE after saying so. */
int cli_duration(const struct cli_args *args, const char *name, unsigned long long otherwise, unsigned long long *ns);

/* An option that is a whole number from 0 to 2^31 - 1, or `otherwise` when not given. 0, or CLI_USAGE after saying so. */
int cli_number(const struct cli_args *args, const char *name, uint32_t otherwise, uint32_t *out);
/* The same of a percentage, as a share; `least` in percent. */
int cli_percent(const struct cli_args *args, const char *name, double otherwise, double least, double *share);

/* One line "candor: TEXT" on standard error; returns CLI_FAILED. */
int cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for wrong usage, with a pointer to the command's help (command may be NULL); returns CLI_USAGE. */
int cli_usage(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Flushes stdout: CLI_OK, or CLI_FAILED with a message when what was printed could not be written. */
int cli_finish_output(void);

/* The terminal's width; 0 where output goes elsewhere: lines are then as long as they need to be. */
unsigned cli_width(FILE *f);
/* True when f is a terminal and the user did not refuse colors (NO_COLOR, TERM=dumb). */
bool cli_colour(FILE *f);

/* The table: in the order of help, ends with NULL. */
extern const struct cli_command *const cli_commands[];
const struct cli_command *cli_find(const char *name);
/* The row of `cli_commands` whose name is nearest to a mistyped one, or NULL when none is near. */
const char *cli_nearest(const char *typed, const char *(*name_at)(const void *context, size_t i), const void *context);

/* Reads argv[1..] into args. CLI_OK, CLI_USAGE after saying why, or -1 when --help was given. */
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
extern const struct cli_command command_verify;     /* cmd_verify.c */
extern const struct cli_command command_daemon;     /* cmd_daemon.c */
extern const struct cli_command command_help;       /* cmd_help.c */
extern const struct cli_command command_completion; /* cmd_completion.c */
extern const struct cli_command command_version;    /* main.c */

/* Runs `candor server`. In candor it starts the program candor-server (server_exec.c); in candor-server it is the server itself
 * (server_main.c). */
int server_command_run(const struct cli_args *args);

/* Print what `record` shows at its end. All print their own error line and return an exit status. */
int report_print_summary(const char *file, FILE *out); /* cmd_report.c: the short report, then the books */
int report_print_live(const char *file, FILE *out);    /* the same of what is alive, of a recording with the event live */
int convert_own_page(const char *in, const char *out); /* cmd_convert.c: the flame graph, for whom the recording is, in no file but ours */

struct profile;
/* What `report --json` prints of the profile, whose stacks may change; 0 or a negative code. (cmd_report.c) */
int report_print_json(struct profile *p, FILE *out);
int report_print_locks(struct profile *p, FILE *out); /* of waits for locks, only the locks and their holders */

#endif
