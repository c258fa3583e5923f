/* What the attach folder reads from texts that others wrote: /proc, performance data, command lines, answers.
 * tier: quick
 * timeout: 20
 * aarch64: yes */
#include "../tap.h"

#include "attach/attach.h"
#include "attach/control.h"
#include "attach/hsperf.h"
#include "attach/jvm.h"
#include "base/text/percent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void test_status(void)
{
    struct process p;
    pid_t group;
    tap_ok(!process_parse_status("Name:\tjava\nState:\tS (sleeping)\nTgid:\t10\nPid:\t10\nUid:\t1\t2\t3\t4\n"
                                 "Gid:\t5\t6\t7\t8\nNSpid:\t10\t4\t1\nSigCgt:\t0000000000000004\n",
                                 &p, &group),
           "a status is read");
    tap_ok(p.uid == 2 && p.gid == 6, "the effective user and group");
    tap_ok(p.inner_pid == 1 && p.pid == 10 && group == 10, "the innermost PID is the last of NSpid");
    tap_ok(p.catches_quit && p.state == 'S', "SIGQUIT (3) is bit 2 of the caught signals");
    tap_ok(!process_parse_status("State:\tZ\nTgid:\t10\nPid:\t11\nUid:\t0\t0\nGid:\t0\t0\nSigCgt:\tfffffffffffffffb\n", &p, &group) &&
               !p.catches_quit && p.inner_pid == 11 && group == 10,
           "without NSpid the PID; all signals but SIGQUIT are not SIGQUIT");
    tap_ok(process_parse_status("", &p, &group) == -EINVAL, "an empty text is refused");
    tap_ok(process_parse_status("State:\tS\nTgid:\t1\nPid:\t1\nUid:\t0\nGid:\t0\t0\n", &p, &group) == -EINVAL, "half a user is refused");
}

static struct process_maps maps_of(const char *text)
{
    struct process_maps maps = {0};
    char line[512];
    snprintf(line, sizeof line, "%s", text);
    process_parse_map_line(line, &maps);
    return maps;
}

static void test_maps(void)
{
    tap_ok(!strcmp(maps_of("7f-80 r-xp 0 fe:00 1   /opt/jdk 17/lib/server/libjvm.so").libjvm, "/opt/jdk 17/lib/server/libjvm.so"),
           "libjvm.so, with a blank in its path");
    tap_ok(!strcmp(maps_of("7f-80 r-xp 0 fe:00 1 /j/libjvm.so (deleted)").libjvm, "/j/libjvm.so"),
           "also when the JDK was upgraded under the running JVM");
    tap_ok(!*maps_of("7f-80 r--p 0 fe:00 1 /j/libjvm.so").libjvm, "a program that only reads the file is no JVM");
    tap_ok(!*maps_of("7f-80 r-xp 0 fe:00 1 /j/notlibjvm.so").libjvm, "nor is a similar name");
    tap_ok(maps_of("7f-80 r-xp 0 fe:00 1 /x/libcandor.so").agent, "the agent");
    tap_ok(!strcmp(maps_of("7f-80 rw-s 0 fe:00 1 /tmp/hsperfdata_me/12").hsperf, "/tmp/hsperfdata_me/12"), "the performance data");
    tap_ok(!*maps_of("7f-80 rw-p 0 00:00 0 [heap]").libjvm && !*maps_of("").libjvm && !*maps_of("x").libjvm, "other lines say nothing");
    struct process_maps maps = {{0}};
    static const char *const agents[] = {"/x/libcandor.so", "/x/libcandor.so", "/y/libcandor.so (deleted)", "/x/libcandor.so"};
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++) {
        char line[64];
        snprintf(line, sizeof line, "7f-80 r-xp 0 fe:00 1 %s", agents[i]);
        process_parse_map_line(line, &maps);
        tap_ok(!strcmp(maps.agents[0], "/x/libcandor.so") && !strcmp(maps.agents[1], i < 2 ? "" : "/y/libcandor.so"),
               "the agent's file, and a second copy's (%zu)", i);
    }
}

/* One string entry of performance data, little-endian. */
static size_t put_entry(uint8_t *at, const char *name, const char *value)
{
    uint32_t name_len = (uint32_t)strlen(name) + 1, value_len = (uint32_t)strlen(value) + 1;
    uint32_t words[] = {20 + name_len + value_len, 20, value_len, 'B', 20 + name_len};
    memcpy(at, words, sizeof words);
    memcpy(at + 20, name, name_len);
    memcpy(at + 20 + name_len, value, value_len);
    return words[0];
}

static size_t make_hsperf(uint8_t *at)
{
    uint8_t head[32] = {0xca, 0xfe, 0xc0, 0xc0, 1, 2, 0, 1};
    uint32_t first = 32, count = 3;
    memcpy(head + 24, &first, 4);
    memcpy(head + 28, &count, 4);
    memcpy(at, head, sizeof head);
    size_t n = sizeof head;
    n += put_entry(at + n, "java.property.java.version", "17.0.1");
    n += put_entry(at + n, "sun.rt.javaCommand", "org.x.Main one two");
    return n + put_entry(at + n, "java.rt.vmArgs", "-Xmx1g -XX:+DisableAttachMechanism");
}

static void test_hsperf(void)
{
    uint8_t data[512] = {0};
    struct hsperf h;
    size_t n = make_hsperf(data);
    tap_ok(!hsperf_parse(data, n, &h) && !strcmp(h.version, "17.0.1") && !strcmp(h.command, "org.x.Main one two") &&
               strstr(h.arguments, "Disable"),
           "version, command and arguments");
    int survived = 0;
    for (size_t cut = 0; cut < n; cut++) {
        uint8_t *copy = malloc(cut ? cut : 1); /* of exactly that size: the sanitizer detects a byte too far */
        memcpy(copy, data, cut);
        hsperf_parse(copy, cut, &h);
        free(copy);
        survived++;
    }
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        uint8_t *copy = malloc(n);
        memcpy(copy, data, n);
        for (int k = 0; k < 4; k++)
            copy[4 + (size_t)rand_r(&seed) % (n - 4)] = (uint8_t)rand_r(&seed);
        hsperf_parse(copy, n, &h);
        free(copy);
        survived++;
    }
    tap_ok(survived == 20000 + (int)n, "cut and spoilt data harm nobody");
    data[0] = 0;
    tap_ok(hsperf_parse(data, n, &h) == -EINVAL && !*h.version, "another magic is refused");
}

#define MAIN_OF(words) main_of(words, sizeof(words))
static const char *main_of(const char *words, size_t len)
{
    size_t end;
    long at = jvm_parse_command(words, len, &end);
    return at < 0 ? "" : words + at;
}

static void test_command(void)
{
    tap_ok(!strcmp(MAIN_OF("java\0-Xmx1g\0-cp\0a:b\0org.x.Main\0-jar\0z"), "org.x.Main"), "the main class");
    tap_ok(!strcmp(MAIN_OF("java\0-jar\0/opt/my app.jar\0x"), "/opt/my app.jar"), "a jar, with a blank in its path");
    tap_ok(!strcmp(MAIN_OF("java\0--module-path\0m\0-m\0mod/org.x.Main"), "mod/org.x.Main"), "a module");
    tap_ok(!strcmp(MAIN_OF("java\0@args\0Main"), "Main"), "after an argument file");
    tap_ok(!strcmp(MAIN_OF("java"), "") && !strcmp(MAIN_OF("java\0-cp"), "") && !strcmp(MAIN_OF("java\0-jar"), ""),
           "commands that end early have none");
    size_t end;
    static const char words[] = "java\0-XX:-X\0Main\0-XX:+DisableAttachMechanism";
    jvm_parse_command(words, sizeof words, &end);
    bool on = false;
    jvm_parse_flag(words, end, "DisableAttachMechanism", &on);
    tap_ok(!on, "a flag behind the main class is the program's own argument");
    tap_ok(jvm_parse_command("java", 4, &end) == -1, "a command that was overwritten is refused");
}

static bool flag(const char *text, bool before)
{
    jvm_parse_flag(text, strlen(text), "EnableX", &before);
    return before;
}

static void test_flags(void)
{
    tap_ok(flag("-Xmx1g -XX:+EnableX", false), "a flag is set");
    tap_ok(!flag("-XX:+EnableX -XX:-EnableX", true), "the last setting counts");
    tap_ok(flag("-XX:-EnableXY -XX:-Enable -D-XX:-EnableX", true), "longer and shorter names are others");
    tap_ok(flag("", true) && !flag("", false), "no flag, no change");
}

static bool named(const char *main, const char *wanted)
{
    char name[16];
    return !strcmp(jvm_short_name(main, name, sizeof name), wanted);
}

static void test_short_names(void)
{
    tap_ok(named("org.x.Main", "Main") && named("Main", "Main") && named("mod/org.x.Main", "Main"), "classes");
    tap_ok(named("/opt/my-app-1.2.jar", "my-app-1.2"), "jars");
    tap_ok(named("x; rm -rf $HOME", "xrm-rfHOME"), "nothing a shell or file system could stumble on");
    tap_ok(named("../../etc/.hidden", "hidden") && named("", "") && named("/", ""), "no hidden files, no folders");
    tap_ok(named("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmno"), "cut to the room there is");
    char name[16];
    struct jvm app = {.main = "my.app-1.2", .embedded = true}, class = {.main = "my.App"};
    tap_ok(!strcmp(jvm_brief_name(&app, name, sizeof name), "my.app-1.2") && !strcmp(jvm_brief_name(&class, name, sizeof name), "App"),
           "a program's name stays whole");
}

static int reply(const char *text, struct error *e)
{
    e->text[0] = 0;
    return attach_parse_reply(7, text, e);
}

static void test_replies(void)
{
    struct error e;
    tap_ok(!reply("0\nreturn code: 0", &e) && !reply("0\nreturn code: 0\n", &e), "JDK 9 and later: loaded");
    tap_ok(!reply("0\n0\n", &e), "JDK 8: loaded");
    tap_ok(reply("0\nreturn code: 5", &e) == -EREMOTEIO && strstr(e.text, "code 5"), "the agent's own refusal");
    tap_ok(reply("0\n-1\n", &e) == -EREMOTEIO && strstr(e.text, "code -1"), "the same on JDK 8");
    tap_ok(reply("0\n/x.so was not loaded.\n/x.so: no such file\n", &e) == -EREMOTEIO &&
               strstr(e.text, "was not loaded. /x.so: no such file") && !strchr(e.text, '\n'),
           "status 0 with a text is a failure, told on one line");
    tap_ok(reply("-1\nDynamic agent loading is not enabled. Use ...", &e) == -EOPNOTSUPP &&
               strstr(e.text, "-XX:+EnableDynamicAgentLoading"),
           "refused by JEP 451, with the remedy");
    tap_ok(reply("-1\nDynamic agent loading is only permitted in the live phase\n", &e) == -EBUSY && strstr(e.text, "try again") &&
               reply("0\nreturn code: 11", &e) == -EBUSY && reply("0\n11\n", &e) == -EBUSY,
           "one that is still starting, by its own words or by our agent's");
    tap_ok(reply("101\n", &e) == -EPROTONOSUPPORT && reply("101", &e) == -EPROTONOSUPPORT, "another version of the protocol");
    tap_ok(reply("100\n", &e) == -EREMOTEIO && strstr(e.text, "status 100"), "a bare status");
    tap_ok(reply("", &e) == -EREMOTEIO && reply("HTTP/1.1 400", &e) == -EREMOTEIO, "garbage");
    tap_ok(reply("0\n", &e) == -EREMOTEIO && reply("0", &e) == -EREMOTEIO, "silence is no success");
}

static int command(const char *text, struct error *e)
{
    e->text[0] = 0;
    return attach_parse_answer(7, text, e);
}

static void test_commands(void)
{
    struct error e;
    tap_ok(!command("0\nStarted recording 1.\n", &e) && !command("0\n", &e) && !command("0", &e), "a command was done");
    tap_ok(!strcmp(attach_answer_text("0\nStarted\n"), "Started\n") && !*attach_answer_text("0"), "what it says");
    tap_ok(command("1\njava.lang.IllegalArgumentException: Unknown diagnostic command\n\n", &e) == -EREMOTEIO &&
               strstr(e.text, "Unknown diagnostic command") && !strchr(e.text, '\n'),
           "a JVM that has no such command, on one line");
    tap_ok(command("101\n", &e) == -EPROTONOSUPPORT && command("", &e) == -EREMOTEIO && command("no", &e) == -EREMOTEIO, "garbage");
}

static int parsed(const char *text, struct control_answer *a, struct error *e)
{
    static char copy[8192];
    e->text[0] = 0;
    snprintf(copy, sizeof copy, "%s", text);
    return control_parse(copy, a, e);
}

static void test_answers(void)
{
    struct control_answer a;
    struct error e;
    tap_ok(!parsed("ok\nfile=/a%25b%0Ac\nsamples=12\nbad=12x\nneg=-1\n", &a, &e) && a.count == 4, "pairs");
    tap_ok(!strcmp(control_text(&a, "file"), "/a%b\nc") && !control_text(&a, "fil"), "values are decoded");
    tap_ok(control_number(&a, "samples", 9) == 12 && control_number(&a, "bad", 9) == 9 && control_number(&a, "neg", 9) == 9 &&
               control_number(&a, "none", 9) == 9,
           "numbers, and what is none");
    tap_ok(!parsed("ok\n", &a, &e) && a.count == 0, "an answer without pairs");
    tap_ok(parsed("error no file /a%20b\n", &a, &e) == -EREMOTEIO && !strcmp(e.text, "no file /a%20b"), "an error, as it is");
    tap_ok(parsed("ok\nfile=/a", &a, &e) == -EPROTO, "a cut answer is refused");
    tap_ok(parsed("", &a, &e) == -EPROTO && parsed("okay\n", &a, &e) == -EPROTO && parsed("ok\nnonsense\n", &a, &e) == -EPROTO &&
               parsed("ok\na=%zz\n", &a, &e) == -EPROTO,
           "garbage is refused");
    char many[4096] = "ok\n";
    for (int i = 0; i <= CONTROL_PAIRS_MAX; i++)
        memcpy(many + strlen(many), "a=b\n", 5);
    tap_ok(parsed(many, &a, &e) == -EPROTO, "more pairs than there is room for are refused");
}

static bool round_trip(const char *text, const char *coded)
{
    struct buffer b;
    buffer_init(&b, 1 << 16);
    percent_encode(&b, text);
    buffer_u8(&b, 0);
    bool good = !b.failed && !strcmp((char *)b.data, coded) && !percent_decode((char *)b.data) && !strcmp((char *)b.data, text);
    buffer_deinit(&b);
    return good;
}

static void test_percent(void)
{
    tap_ok(round_trip("/tmp/a-b_1.jfr", "/tmp/a-b_1.jfr"), "an ordinary path stays as it is");
    tap_ok(round_trip("a,b=c%d e\nf'\"", "a%2Cb%3Dc%25d%20e%0Af%27%22"), "what could end a value or a word does not");
    tap_ok(round_trip("\xc3\xa4", "%C3%A4"), "bytes beyond ASCII");
    char all[256];
    for (int i = 0; i < 255; i++)
        all[i] = (char)(i + 1);
    all[255] = 0;
    struct buffer b;
    buffer_init(&b, 1 << 10);
    percent_encode(&b, all);
    buffer_u8(&b, 0);
    tap_ok(!percent_decode((char *)b.data) && !memcmp(b.data, all, 256), "every byte comes back");
    buffer_deinit(&b);
    char bad[][8] = {"%", "%1", "%zz", "a%", "%00", "%-1"};
    bool refused = true;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused = percent_decode(bad[i]) == -EINVAL && refused;
    tap_ok(refused, "broken codes and zero bytes are refused");
}

int main(void)
{
    test_status();
    test_maps();
    test_hsperf();
    test_command();
    test_flags();
    test_short_names();
    test_replies();
    test_commands();
    test_answers();
    test_percent();
    return tap_done();
}
