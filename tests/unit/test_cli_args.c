/* The command line of one command: options, operands, operands after "--", and the nearest name for a mistyped one.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "base/time_units.h"
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

static const struct cli_option options[] = {
    {'d', "duration", "TIME", NULL, "how long"},
    {0, "clock", "CLOCK", "auto|timer", "which"},
    {'j', "json", NULL, NULL, "print JSON"},
    {0, "paths", "TIME", NULL, "with them", "200ms"},
    {0},
};

static const struct cli_command plain = {.name = "plain", .arguments = "", .options = options, .operands_min = 1, .operands_max = 2};
static const struct cli_command runner =
    {.name = "runner", .arguments = "", .options = options, .operands_min = 1, .operands_max = 1, .dash_dash = true};

static struct cli_args args;
static char space[512];
static char *argv[16];

/* Splits at blanks; the words are valid until the next call. */
static int parse(const struct cli_command *c, const char *line)
{
    int argc = 0;
    snprintf(space, sizeof space, "%s %s", c->name, line);
    for (char *rest = space, *word; (word = strtok_r(rest, " ", &rest));)
        argv[argc++] = word;
    argv[argc] = NULL;
    return cli_parse(c, argc, argv, &args);
}

static bool operands(const char *wanted)
{
    char got[256] = "";
    size_t n = 0;
    for (int i = 0; i < args.operand_count; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "", args.operands[i]);
    return !strcmp(got, wanted);
}

static bool option(const char *name, const char *wanted)
{
    const char *got = cli_option(&args, name);
    return got && wanted ? !strcmp(got, wanted) : got == wanted;
}

static void test_good(void)
{
    tap_ok(!parse(&plain, "-d 5s x") && option("duration", "5s") && option("json", NULL) && operands("x"), "a short option");
    tap_ok(!parse(&plain, "x --duration=5s --json") && option("duration", "5s") && cli_switch(&args, "json") && operands("x"),
           "options behind the operand");
    tap_ok(!parse(&plain, "-jd5s x y") && option("duration", "5s") && cli_switch(&args, "json") && operands("x y"),
           "short options together");
    tap_ok(!parse(&plain, "-d 1s -d 2s x") && option("duration", "2s"), "the last one counts");
    tap_ok(!parse(&plain, "--clock timer x"), "a value of the choices");
    tap_ok(!parse(&plain, "--paths x") && option("paths", "200ms") && operands("x") && !parse(&plain, "--paths=1s x") &&
               option("paths", "1s"),
           "a value that may be left out");
    tap_ok(!parse(&plain, "-- -d") && operands("-d") && !args.after_dashes, "-- ends the options");
    tap_ok(parse(&plain, "--help") == -1 && parse(&plain, "x -h") == -1, "help");
}

static void test_command_behind_dashes(void)
{
    tap_ok(!parse(&runner, "-d 5s -- java -d 9s -- -jar x") && args.after_dashes && option("duration", "5s") &&
               operands("java -d 9s -- -jar x"),
           "a command keeps its own options and dashes");
    tap_ok(!parse(&runner, "12") && !args.after_dashes && operands("12"), "an operand");
    tap_ok(parse(&runner, "--") == CLI_USAGE, "an empty command is wrong");
    tap_ok(parse(&runner, "12 -- java") == CLI_USAGE && !args.after_dashes, "an operand and a command are too many");
}

static void test_wrong(void)
{
    tap_ok(parse(&plain, "") == CLI_USAGE, "too few operands");
    tap_ok(parse(&plain, "a b c") == CLI_USAGE, "too many operands");
    tap_ok(parse(&plain, "-x a") == CLI_USAGE && parse(&plain, "--no a") == CLI_USAGE, "unknown options");
    tap_ok(parse(&plain, "a -d") == CLI_USAGE && parse(&plain, "a --duration") == CLI_USAGE, "a value is missing");
    tap_ok(parse(&plain, "--json=1 a") == CLI_USAGE, "a value too many");
    tap_ok(parse(&plain, "--clock tim a") == CLI_USAGE && parse(&plain, "--clock auto|timer a") == CLI_USAGE, "none of the choices");
    unsigned long long ns = 0;
    tap_ok(!parse(&plain, "-d 1.5s a") && !cli_duration(&args, "duration", 7, &ns) && ns == 1500000000, "a duration");
    tap_ok(!parse(&plain, "a") && !cli_duration(&args, "duration", 7, &ns) && ns == 7, "its default");
    tap_ok(!parse(&plain, "-d 5 a") && !cli_duration(&args, "duration", 7, &ns) && ns == 5 * NS_PER_S, "without a unit it is seconds");
    tap_ok(!parse(&plain, "-d 5x a") && cli_duration(&args, "duration", 7, &ns) == CLI_USAGE, "another unit is refused");
}

static const char *name_at(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

static bool near(const char *typed, const char *wanted)
{
    static const char *const names[] = {"list", "record", "report", "start", "stop", "status", "dump", NULL};
    const char *found = cli_nearest(typed, name_at, names);
    return found && wanted ? !strcmp(found, wanted) : found == wanted;
}

static void test_nearest(void)
{
    tap_ok(near("recrod", "record") && near("lst", "list") && near("Record", "record"), "typing errors");
    tap_ok(near("rec", "record") && near("du", "dump"), "beginnings");
    tap_ok(near("xyzzy", NULL) && near("", NULL) && near("q", NULL), "what is near nothing");
    tap_ok(near("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL), "a very long word");
}

int main(void)
{
    if (!freopen("/dev/null", "w", stderr)) /* tests of the command line check the messages for wrong usage */
        return 1;
    test_good();
    test_command_behind_dashes();
    test_wrong();
    test_nearest();
    return tap_done();
}
