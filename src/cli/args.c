/* Converts argv to struct cli_args, with the options of one row of the table. getopt_long splits the arguments. Its messages are replaced,
 * because candor's own suggest the nearest correct spelling. */
#include "base/text/number.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "cli/cli.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_ONLY = 256, HELP = 512 };

static int option_count(const struct cli_command *command)
{
    int n = 0;
    while (command->options && command->options[n].name)
        n++;
    return n;
}

static int row_of(const struct cli_command *command, const char *name)
{
    for (int i = 0, n = option_count(command); i < n; i++)
        if (!strcmp(command->options[i].name, name))
            return i;
    return -1;
}

const char *cli_option(const struct cli_args *args, const char *name)
{
    int row = row_of(args->command, name);
    return row < 0 ? NULL : args->values[row];
}

bool cli_switch(const struct cli_args *args, const char *name)
{
    return cli_option(args, name) != NULL;
}

bool cli_is_file(const char *operand)
{
    size_t n = strlen(operand);
    if (strspn(operand, "0123456789") == n)
        return false;
    return !strcmp(operand, "-") || strchr(operand, '/') || (n > 4 && !strcmp(operand + n - 4, ".jfr")) || !access(operand, F_OK);
}

int cli_check_output(const struct cli_args *args, const char *path)
{
    struct stat out, in;
    if (!strcmp(path, "-") || stat(path, &out) || !S_ISREG(out.st_mode))
        return CLI_OK;
    for (int i = 0; i < args->operand_count; i++) {
        const char *operand = args->operands[i];
        if (operand != path && !stat(operand, &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
            return cli_usage(args->command, "%.200s: this input file would be replaced by the output; give the output another name",
                             operand);
    }
    return CLI_OK;
}

int cli_duration(const struct cli_args *args, const char *name, unsigned long long otherwise, unsigned long long *ns)
{
    const char *text = cli_option(args, name);
    uint64_t value = otherwise;
    bool of_seconds = !strcmp(name, "duration") || !strcmp(name, "timeout"); /* a number without a unit is in seconds there */
    if (text && (of_seconds ? units_parse_seconds : units_parse_duration)(text, &value))
        return cli_usage(args->command, "--%s '%.40s' is not a duration; write it like 10ms or 30s", name, text);
    *ns = value;
    return CLI_OK;
}

int cli_number(const struct cli_args *args, const char *name, uint32_t otherwise, uint32_t *out)
{
    const char *text = cli_option(args, name);
    uint64_t number;
    *out = otherwise;
    if (!text)
        return CLI_OK;
    if (number_parse(text, 0, INT32_MAX, &number))
        return cli_usage(args->command, "--%s must be a number, not '%.60s'", name, text);
    *out = (uint32_t)number;
    return CLI_OK;
}

int cli_percent(const struct cli_args *args, const char *name, double otherwise, double least, double *share)
{
    const char *text = cli_option(args, name);
    double percent = otherwise;
    if (text && number_parse_real(text, least, 100, &percent))
        return cli_usage(args->command, "--%s must be a percentage, not '%.60s'", name, text);
    *share = percent / 100;
    return CLI_OK;
}

/* Returns the Levenshtein distance of two words, without regard to case. If a word is too long for the comparison, returns `limit`. */
static size_t distance(const char *a, const char *b, size_t limit)
{
    enum { LONGEST = 32 };
    size_t row[LONGEST + 1], na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return limit;
    for (size_t j = 0; j <= nb; j++)
        row[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            size_t best = diagonal + !same;
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *cli_nearest(const char *typed, const char *(*name_at)(const void *context, size_t i), const void *context)
{
    const char *name, *best = NULL;
    size_t typed_len = strlen(typed), limit = typed_len < 4 ? 2 : 3; /* words with a smaller distance are similar */
    for (size_t i = 0; (name = name_at(context, i)); i++) {
        bool starts = typed_len >= 2 && !strncmp(name, typed, typed_len);
        size_t d = starts ? 0 : distance(typed, name, limit);
        if (d < limit) {
            limit = d ? d : 1;
            best = name;
        }
    }
    return best;
}

static const char *option_name_at(const void *context, size_t i)
{
    const struct cli_command *command = context;
    int n = option_count(command);
    return (int)i < n ? command->options[i].name : (int)i == n ? "help" : NULL;
}

static int unknown_option(const struct cli_command *command, const char *typed)
{
    char name[64];
    if (typed[0] != '-' || typed[1] != '-')
        return cli_usage(command, "no option '%.60s'", typed);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    const char *near = cli_nearest(name, option_name_at, command);
    if (near)
        return cli_usage(command, "no option '--%s'; did you mean '--%s'?", name, near);
    return cli_usage(command, "no option '--%s'", name);
}

/* Prints the error that getopt found. complaint: ':' = a value is missing, '?' = another error. */
static int wrong_option(const struct cli_command *command, int complaint, const char *typed)
{
    char letter[] = {'-', (char)optopt, 0};
    if (complaint == ':')
        return cli_usage(command, "option '%.60s' needs a value", typed);
    if (optopt >= LONG_ONLY)
        return cli_usage(command, "option '%.60s' takes no value", typed);
    return unknown_option(command, optopt ? letter : typed);
}

static bool is_open(const char *choices)
{
    size_t n = strlen(choices);
    return n > strlen(CLI_OPEN) && !strcmp(choices + n - strlen(CLI_OPEN), CLI_OPEN);
}

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == n && !strncmp(c, value, n))
            return true;
    return false;
}

/* Whether the option's value is a list; the command checks its words. */
static bool is_list(const struct cli_option *o)
{
    return o->value && !strcmp(o->value, "LIST");
}

/* Prints that an option was given twice, and that its last value is used. An alias may contain an option that its user gives again. */
static void say_twice(const struct cli_option *o, const char *first)
{
    fprintf(stderr, "candor: --%s is given twice: '", o->name);
    utf8_print(stderr, optarg);
    fputs("' is used, not '", stderr);
    utf8_print(stderr, first);
    fputs("'\n", stderr);
}

static int take_option(const struct cli_command *command, struct cli_args *args, int row)
{
    const struct cli_option *o = &command->options[row];
    if (o->choices && !is_list(o) && !is_open(o->choices) && !is_choice(o->choices, optarg))
        return cli_usage(command, "--%s '%.40s' must be one of %s", o->name, optarg, o->choices);
    if (args->values[row] && optarg && strcmp(args->values[row], optarg) != 0)
        say_twice(o, args->values[row]);
    args->values[row] = !o->value ? "" : optarg ? optarg : o->without;
    return CLI_OK;
}

static int needs(const struct cli_option *o)
{
    return !o->value ? no_argument : o->without ? optional_argument : required_argument;
}

static void getopt_tables(const struct cli_command *command, char *letters, struct option *names)
{
    int n = option_count(command);
    *letters++ = '+'; /* options end at the first operand, because the rest may be the command line of another program */
    *letters++ = ':';
    for (int i = 0; i < n; i++) {
        const struct cli_option *o = &command->options[i];
        names[i] = (struct option){o->name, needs(o), NULL, LONG_ONLY + i};
        if (o->letter) {
            *letters++ = o->letter;
            if (o->value)
                *letters++ = ':';
        }
    }
    names[n] = (struct option){"help", optional_argument, NULL, HELP};
    names[n + 1] = (struct option){0};
    *letters++ = 'h';
    *letters = 0;
}

static int row_of_letter(const struct cli_command *command, int letter)
{
    for (int i = 0, n = option_count(command); i < n; i++)
        if (command->options[i].letter == letter)
            return i;
    return -1;
}

/* Returns the words for the operand that is missing. */
static const char *operand_word(const struct cli_command *c, int given)
{
    if (c->operand == CLI_PROCESS)
        return "the JVM (its PID or NAME; 'candor list' shows them)";
    if (c->operand == CLI_FILE)
        return given ? "a second file" : "the file";
    return "an argument";
}

static int check_operands(const struct cli_command *c, const struct cli_args *args)
{
    if (args->operand_count < c->operands_min)
        return cli_usage(c, "%s is missing: candor %s %s", operand_word(c, args->operand_count), c->name, c->arguments);
    if (c->operands_max >= 0 && args->operand_count > c->operands_max && !args->after_dashes)
        return cli_usage(c, "'%.60s' is one argument too many", args->operands[c->operands_max]);
    return CLI_OK;
}

static int help_level(const struct cli_command *command)
{
    if (optarg && strcmp(optarg, "all"))
        return cli_usage(command, "--help takes no value, or 'all', not '%.60s'", optarg);
    return optarg ? CLI_HELP_ALL : CLI_HELP;
}

/* Options may also follow operands (`candor report FILE --json`). getopt stops at each operand; the operand is then moved to the front
 * of argv, to which args->operands points. */
int cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_args *args)
{
    char letters[2 * CLI_OPTIONS_MAX + 4];
    struct option names[CLI_OPTIONS_MAX + 2];
    getopt_tables(command, letters, names);
    *args = (struct cli_args){.command = command, .operands = argv + 1};
    optind = 0; /* start from the beginning, also in a test that parses many lines */
    for (;;) {
        int before = optind, got = getopt_long(argc, argv, letters, names, NULL);
        bool end = got == -1 && optind > before && !strcmp(argv[optind - 1], "--");
        if (end) {
            args->after_dashes = command->dash_dash && args->operand_count == 0;
            while (optind < argc)
                args->operands[args->operand_count++] = argv[optind++];
        }
        if (end || (got == -1 && optind >= argc))
            break;
        if (got == -1) {
            args->operands[args->operand_count++] = argv[optind++];
        } else if (got == HELP || got == 'h') {
            return got == HELP ? help_level(command) : CLI_HELP;
        } else if (got == ':' || got == '?') {
            return wrong_option(command, got, argv[optind - 1]);
        } else {
            int row = got >= LONG_ONLY ? got - LONG_ONLY : row_of_letter(command, got);
            int status = take_option(command, args, row);
            if (status)
                return status;
        }
    }
    return check_operands(command, args);
}
