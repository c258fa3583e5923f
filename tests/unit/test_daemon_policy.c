/* Which JVMs the daemon profiles, and which names it gives them: configuration, rules, facts, labels, and how processes are
 * distinguished.
 * tier: quick
 * timeout: 30 */
#include "base/time_units.h"
#include "daemon/discover.h"
#include "daemon/rules/config.h"
#include "base/ini.h"
#include "daemon/rules/labels.h"

#include "../tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- configuration ---- */

static char path[] = "/tmp/candor-test-XXXXXX";

static int read_text(struct config *c, const char *text, struct error *e)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    bool good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    config_init(c);
    return good ? config_read(c, path, e) : -EIO;
}

static void test_config(void)
{
    struct config c;
    struct error e = {""};
    int code = read_text(&c,
                         "# a daemon\n\n[daemon]\n  server = https://h.example:4041/ \nspool-max=2GB\nchunk = 10s\n"
                         "max-overhead = 0.5%\nspool = \" /a b\"\n; rules\n[jvm shop]\nmain=com.shop.*\nshare=25%\n"
                         "label.team = pay\n[jvm rest]\nprofile = no\n",
                         &e);
    tap_ok(!code, "a file is read %s", e.text);
    tap_ok(!strcmp(c.server, "https://h.example:4041") && c.spool_max == 2ull << 30 && c.chunk_ns == 10 * NS_PER_S &&
               !strcmp(c.settings.values[OPTION_MAX_OVERHEAD], "0.5%") && !strcmp(c.spool, " /a b"),
           "section [daemon]");
    tap_ok(c.policy.count == 2 && !strcmp(c.policy.rules[0].name, "shop") && c.policy.rules[0].share == 0.25 &&
               c.policy.rules[0].label_count == 1 && c.policy.rules[1].ignore,
           "sections [jvm NAME]");
    tap_ok(!config_finish(&c, true, &e), "nothing is missing");
    config_deinit(&c);

    static const struct {
        const char *text, *word;
    } wrong[] = {
        {"server = http://x\n", "before the first section"},
        {"[daemon]\nserver = ftp://x\n", "line 2: server 'ftp://x'"},
        {"[daemon]\nserver = http://user:pw@x\n", "a token goes into a file"},
        {"[daemon]\nserver = otlp+http://x\n", "for another back end use 'to'"},
        {"[daemon]\nto = otlp+ftp://x\n", "is not an address"},
        {"[daemon]\nchunk = 10\n", "chunk '10'"},
        {"[daemon]\nchunk = 1ms\n", "from 1s to 600s"},
        {"[daemon]\nfoo = 1\n", "no key 'foo'"},
        {"[demon]\n", "no section [demon]"},
        {"[daemon\n", "ends with ']'"},
        {"[daemon]\nnonsense\n", "neither"},
        {"[jvm a]\nshare = 0\n", "share '0'"},
        {"[jvm a]\nprofile = maybe\n", "yes or no"},
        {"[jvm a]\nlabel.9x = a\n", "label '9x'"},
        {"[jvm a]\nserver = http://x\n", "no key 'server' in a rule"},
        {"[daemon]\nspool-max = 5\n", "at least 1M"},
        {"[daemon]\nmax-overhead = 200%\n", "max-overhead"},
        {"[jvm a]\ninterval = 1us\n", "100us"},
        {"[daemon]\nevent = cpu,safepoint\n", "event 'cpu,safepoint'"},
        {"[jvm a]\nevent = cpu,,lock\n", "such as cpu,alloc"},
        {"[jvm a]\nevent =\n", "event ''"},
        {"[jvm a]\nevent = cpu,lock,cpu\n", "event 'cpu,lock,cpu'"},
        {"[jvm a]\nwall-rate = 10\nlock-rate = 0/s\n", "line 3: lock-rate '0/s'"},
        {"[jvm a]\nalloc-rate = 10/s\nalloc-interval = 512k\n", "use one of them"},
        {"[daemon]\nheal = always\n", "off, paced or now"},
        {"[daemon]\nkeep = 5m\n", "no key 'keep'"},
        {"[jvm a]\nmain =\n", "main is empty"},
        {"[daemon]\nmax-jvms = 0\n", "max-jvms '0'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        *e.text = 0;
        code = read_text(&c, wrong[i].text, &e);
        tap_ok(code < 0 && strstr(e.text, wrong[i].word) && strstr(e.text, path), "refused: %s", e.text);
        config_deinit(&c);
    }
    config_init(&c);
    tap_ok(config_read(&c, "/does/not/exist", &e) == -ENOENT && strstr(e.text, "/does/not/exist"), "%s", e.text);
    tap_ok(config_finish(&c, true, &e) && strstr(e.text, "--server"), "%s", e.text);
    tap_ok(!strcmp(c.settings.values[OPTION_MAX_OVERHEAD], "1%") && !strcmp(c.settings.events, "cpu,wall,alloc,lock,halt") &&
               c.spool_max == 1u << 30,
           "defaults");
    config_deinit(&c);
}

static void test_targets(void)
{
    static const struct {
        const char *address;
        enum emit_protocol protocol;
        const char *base;
    } cases[] = {
        {"http://h:4041/", EMIT_CANDOR, "http://h:4041"},
        {"otlp+https://h/with/path/", EMIT_OTLP, "https://h/with/path"},
        {"pyroscope+http://h:4040", EMIT_PYROSCOPE, "http://h:4040"},
    };
    struct error e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct emit_target t;
        int code = emit_target_read(&t, cases[i].address, &e);
        tap_ok(!code && t.protocol == cases[i].protocol && !strcmp(t.base, cases[i].base), "%s is %s", cases[i].address, t.base);
    }
}

static void test_events(void)
{
    static const struct {
        const char *list, *jdk, *left, *dropped;
    } cases[] = {
        {"cpu,wall,alloc,live,lock,halt", "17.0.19", "cpu,wall,alloc,live,lock,halt", ""},
        {"cpu,wall,alloc,live,lock,halt", "1.8.0_432", "cpu,wall,lock,halt", "alloc,live"},
        {"alloc", "1.8.0_432", "", "alloc"},
        {"alloc", "18.0.1", "alloc", ""},
        {"alloc,cpu", "", "alloc,cpu", ""},
    };
    char dropped[SETTINGS_EVENTS];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct settings s = {0};
        snprintf(s.events, sizeof s.events, "%s", cases[i].list);
        settings_fit_jdk(&s, cases[i].jdk, dropped);
        tap_ok(!strcmp(s.events, cases[i].left) && !strcmp(dropped, cases[i].dropped), "of %s Java '%s' records %s, not %s", cases[i].list,
               cases[i].jdk, s.events, dropped);
    }
    struct settings s = {.events = "cpu,alloc,lock"};
    tap_ok(settings_drop_refused(&s, "event=alloc: another agent samples") && !strcmp(s.events, "cpu,lock"), "without it: %s", s.events);
    tap_ok(settings_drop_refused(&s, "event=lock needs to walk this JVM's stacks") && !strcmp(s.events, "cpu"), "or another: %s", s.events);
    tap_ok(!settings_drop_refused(&s, "event=wall: no") && !settings_drop_refused(&s, "already recording") && !strcmp(s.events, "cpu"),
           "and not what it does not record, or what is no event's");
}

static bool asks(const struct settings *s, enum recording_option option, const char *expected)
{
    const char *text = settings_option(s, option);
    return expected ? text && !strcmp(text, expected) : !text;
}

/* A rule's settings take precedence. Settings of events that are not recorded are not sent, because the agent would refuse them. */
static void test_settings(void)
{
    struct config c;
    struct error e = {""};
    int code = read_text(&c,
                         "[daemon]\nlock-rate = 50/s\nalloc-rate = 20/s\nwall-interval = 100ms\n[jvm a]\nevent = cpu,lock,alloc\n"
                         "interval = 5ms\nlock-threshold = 2ms\nalloc-interval = 1m\nheal = paced\n[jvm b]\nevent = alloc,lock\n",
                         &e);
    tap_ok(!code && c.policy.count == 2, "settings are read %s", e.text);
    struct settings a = c.settings, b = c.settings;
    settings_override(&a, &c.policy.rules[0].settings);
    settings_override(&b, &c.policy.rules[1].settings);
    tap_ok(!strcmp(a.events, "cpu,lock,alloc") && asks(&a, OPTION_INTERVAL, "5ms") && asks(&a, OPTION_LOCK_THRESHOLD, "2ms") &&
               asks(&a, OPTION_LOCK_RATE, "50/s") && asks(&a, OPTION_MAX_OVERHEAD, "1%") && asks(&a, OPTION_HEAL, "paced"),
           "the rule's, and the daemon's where it has none");
    tap_ok(asks(&a, OPTION_ALLOC_INTERVAL, "1m") && asks(&a, OPTION_ALLOC_RATE, NULL), "of two that exclude each other the rule's");
    tap_ok(asks(&a, OPTION_WALL_INTERVAL, NULL), "nothing of an event that is not recorded");
    tap_ok(asks(&b, OPTION_INTERVAL, NULL) && asks(&b, OPTION_MAX_OVERHEAD, NULL) && asks(&b, OPTION_ALLOC_RATE, "20/s"),
           "without cpu there is no clock whose interval could be kept");
    config_deinit(&c);
}

/* ---- a JVM ---- */

static struct facts shop(void)
{
    static char command[] = "/usr/bin/java\0-Dservice.name=by-property\0-Ddd.version=2.1\0-cp\0x.jar\0com.shop.Main\0"
                            "-Dservice.name=argument";
    static char environment[] = "DD_SERVICE=by-dd\0JAVA_TOOL_OPTIONS=-Xmx1g -Dcolor=red -Dcolor=blue\0POD_NAMESPACE=prod\0"
                                "OTEL_RESOURCE_ATTRIBUTES=a=b,service.version=3.0, service.name=by-attributes";
    struct facts f = {.command = command, .command_len = sizeof command, .environment = environment, .environment_len = sizeof environment};
    jvm_parse_command(command, sizeof command, &f.options_end);
    snprintf(f.jvm.main, sizeof f.jvm.main, "com.shop.Main");
    snprintf(f.jvm.user, sizeof f.jvm.user, "tomcat");
    snprintf(f.jvm.version, sizeof f.jvm.version, "17.0.9");
    return f;
}

static const char *or_none(const char *text)
{
    return text ? text : "none";
}

static void test_facts(void)
{
    struct facts f = shop();
    tap_ok(!strcmp(or_none(facts_variable(&f, "POD_NAMESPACE")), "prod") && !facts_variable(&f, "POD"), "variables");
    tap_ok(!strcmp(or_none(facts_property(&f, "service.name")), "by-property"), "a property is what stands before the main class");
    tap_ok(!strcmp(or_none(facts_property(&f, "color")), "blue") && !facts_property(&f, "col"), "or in JAVA_TOOL_OPTIONS, the last one");
}

static bool decides(const char *rules, const char *name)
{
    struct config c;
    struct error e = {""};
    struct facts f = shop();
    int code = read_text(&c, rules, &e);
    const struct rule *rule = policy_find(&c.policy, &f);
    bool good = !code && !strcmp(rule ? rule->name : "", name);
    config_deinit(&c);
    return good;
}

static void test_rules(void)
{
    tap_ok(decides("", ""), "without rules none decides");
    tap_ok(decides("[jvm a]\nmain=com.shop.*\n[jvm b]\n", "a"), "the first that matches, by the main class");
    tap_ok(decides("[jvm a]\nmain=Main\n", "a") && decides("[jvm a]\nmain=Mai\n", ""), "or its last part, whole");
    tap_ok(decides("[jvm a]\nuser=root\n[jvm b]\nuser=tom*\njdk=17.*\n", "b"), "user and JDK");
    tap_ok(decides("[jvm a]\nenv.POD_NAMESPACE=prod\nproperty.color=red\n[jvm b]\n", "b"), "all conditions of a rule");
    tap_ok(decides("[jvm a]\nenv.POD_NAMESPACE=p*\nproperty.color=blue\n[jvm b]\n", "a"), "variables and properties");
    tap_ok(decides("[jvm a]\nenv.NOT_THERE=*\n", ""), "what is not there matches nothing");
}

static void test_share(void)
{
    struct rule rule = {.name = "a", .share = 0.25};
    unsigned chosen = 0;
    for (uint64_t i = 0; i < 10000; i++)
        chosen += policy_chosen(&rule, i);
    /* 2500 +- 6 standard deviations of 43: a false alarm in 5e8 if the numbers were random; but they are fixed. */
    tap_ok(chosen > 2240 && chosen < 2760, "a share of a quarter takes %u of 10000", chosen);
    tap_ok(policy_chosen(&rule, 42) == policy_chosen(&rule, 42) && policy_chosen(NULL, 1), "the same ones each time");
}

static void test_labels(void)
{
    struct facts f = shop(), bare = {.command = (char *)"", .environment = (char *)""};
    struct rule rule = {.name = "r", .service = "chosen", .label_count = 1, .labels = {{"team", "a&b=c %\n\"\xff"}}};
    struct labels l;
    struct buffer query;
    char clean[LABEL_MAX + 1], *long_text = malloc(5000);
    labels_of(&l, &f, NULL);
    tap_ok(!strcmp(l.service, "by-attributes") && !strcmp(l.version, "3.0"), "service and version: %s %s", l.service, l.version);
    f.environment_len = 20;
    labels_of(&l, &f, NULL);
    tap_ok(!strcmp(l.service, "by-dd") && !strcmp(l.version, "2.1"), "from where there is one: %s %s", l.service, l.version);
    snprintf(bare.jvm.main, sizeof bare.jvm.main, "/opt/app-1.2.jar");
    labels_of(&l, &bare, NULL);
    tap_ok(!strcmp(l.service, "app-1.2") && !*l.version, "else the jar: %s", l.service);
    *bare.jvm.main = 0;
    labels_of(&l, &bare, NULL);
    tap_ok(!strcmp(l.service, "java"), "else java");
    labels_of(&l, &f, &rule);
    buffer_init(&query, LABELS_QUERY_MAX);
    labels_query(&query, &l, "host one", &rule);
    buffer_u8(&query, 0);
    tap_ok(!strcmp((char *)query.data, "service=chosen&host=host%20one&version=2.1&team=a%26b%3Dc%20%25_%22_"), "%s", (char *)query.data);
    buffer_deinit(&query);
    memset(long_text, 'x', 4999);
    memcpy(long_text + 197, "\xe2\x82\xac\xe2\x82\xac", 6);
    long_text[4999] = 0;
    tap_ok(strlen(labels_clean(long_text, clean)) == 200 && (unsigned char)clean[199] == 0xac, "long values are cut between characters");
    tap_ok(!strcmp(labels_clean("\x1b[31m\xc2\x85\x7f", clean), "_[31m__"), "no control characters");
    free(long_text);
}

static void test_processes(void)
{
    char name[17];
    uint64_t start = 0;
    tap_ok(!discover_parse_stat("12 (a (b) c) S 1 12 12 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2", name, &start) && start == 98765 &&
               !strcmp(name, "a (b) c"),
           "a process by its start: %llu", (unsigned long long)start);
    tap_ok(discover_parse_stat("12 (a) S 1", name, &start) && discover_parse_stat("", name, &start), "half a line is none");
    tap_ok(!discover_start_of(getpid(), &start) && start, "our own");
}

int main(void)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    test_config();
    test_targets();
    test_events();
    test_settings();
    test_facts();
    test_rules();
    test_share();
    test_labels();
    test_processes();
    unlink(path);
    return tap_done();
}
