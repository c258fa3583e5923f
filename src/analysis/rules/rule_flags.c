/* Checks the JVM's command line: flags that contradict each other, that this JDK ignores, that make the program slow or are a risk; a
 * heap that does not fit its flags; remote control that is open to everybody; and secrets that everybody can read. */
#include "analysis/rules.h"

#include "analysis/arguments.h"
#include "analysis/findings.h"
#include "analysis/rules/jvm_flags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define TWICE_SCORE      50.0
#define IGNORED_SCORE    60.0
#define DEPRECATED_SCORE 30.0
#define SETUP_SCORE      50.0
#define OPEN_SCORE       80.0 /* anyone who reaches the port can run any code */
#define SECRET_SCORE     50.0

#define GIB ((uint64_t)1 << 30)

enum {
    WIDE_FROM_GIB = 32,
    WIDE_TO_GIB = 40
}; /* such heaps have room for less than a heap of 31 GiB, because references are twice as wide */
enum { SERIAL_PROCESSORS = 4, SERIAL_HEAP_GIB = 4 }; /* from these sizes on, one thread is too few for collections */

static void say(struct findings *f, enum finding_kind kind, double score, const char *subject, uint32_t text, const char *remedy)
{
    findings_add(f, &(struct finding){
                        .kind = kind, .score = score, .subject = findings_string(f, subject), .text = text, .count = 1, .remedy = remedy});
}

/* ---- repeated flags ---- */

/* Whether repeated flags of this name all count, and do not replace each other. */
static bool adds_up(const char *name)
{
    static const char *const those[] = {"OnError",        "OnOutOfMemoryError",   "CompileCommand",       "CompileOnly",
                                        "FlightRecorder", "StartFlightRecording", "FlightRecorderOptions"};
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (!strcmp(name, those[i]))
            return true;
    return false;
}

/* Whether two values are equal: 1g is 1024m. */
static bool is_same(const struct argument *a, const struct argument *b)
{
    uint64_t bytes = argument_bytes(a->value);
    return !strcmp(a->value, b->value) || (bytes && bytes == argument_bytes(b->value));
}

/* Reports a flag that is given twice. The value of a property is not shown, because it may be a secret. */
static void judge_twice(struct findings *f, const struct argument *a, const char *rest)
{
    struct argument last;
    bool is_property = !strncmp(a->word, "-D", 2);
    if ((!a->is_flag && !is_property) || adds_up(a->name) || !argument_last(&last, rest, a->name) || is_same(a, &last))
        return;
    uint32_t text = is_property ? findings_say(f, "%.200s is given twice, with different values: the last one counts", a->name)
                                : findings_say(f, "%.200s is given, and later %.200s: the last one counts", a->word, last.word);
    say(f, FINDING_FLAG_TWICE, TWICE_SCORE, a->name, text, NULL);
}

/* ---- known flags ---- */

static void judge_known(struct findings *f, const struct argument *a)
{
    for (size_t i = 0; i < known_flag_count; i++) {
        const struct known_flag *k = &known_flags[i];
        enum finding_kind kind = k->matter == FLAG_IS_SLOW ? FINDING_FLAG_SLOW : FINDING_FLAG_RISKY;
        if (!strcmp(a->word, k->flag))
            say(f, kind, k->score, k->flag, findings_say(f, "%s: %s", k->flag, k->words), NULL);
    }
}

#define IS_DEFAULT "disallow" /* -Djava.security.manager=disallow */

static void judge_outdated(struct findings *f, const struct argument *a, uint32_t jdk)
{
    for (size_t i = 0; i < outdated_flag_count; i++) {
        const struct outdated_flag *o = &outdated_flags[i];
        bool is_ignored = o->ignored && jdk >= o->ignored, is_deprecated = o->deprecated && jdk >= o->deprecated;
        char later[64] = "";
        if (strcmp(a->name, o->name) || (!is_ignored && !is_deprecated) || !strcmp(a->value, IS_DEFAULT))
            continue;
        if (o->refused > jdk)
            snprintf(later, sizeof later, ", and JDK %u does not start with it", o->refused);
        uint32_t text = is_ignored ? findings_say(f, "JDK %u ignores %.200s%s; instead: %s", jdk, a->name, later, o->instead)
                                   : findings_say(f, "%.200s is deprecated%s; instead: %s", a->name, later, o->instead);
        say(f, FINDING_FLAG_OUTDATED, is_ignored ? IGNORED_SCORE : DEPRECATED_SCORE, a->name, text, NULL);
    }
}

/* ---- the heap ---- */

static bool is_on(const char *arguments, const char *flag)
{
    struct argument a;
    return argument_last(&a, arguments, flag) && *a.value == '+';
}

static uint64_t number_of(const char *arguments, const char *flag)
{
    struct argument a;
    return argument_last(&a, arguments, flag) ? argument_bytes(a.value) : 0;
}

static void judge_heap(struct findings *f, const char *arguments, uint32_t processors)
{
    struct argument other;
    uint64_t heap = number_of(arguments, "MaxHeapSize"), threads = number_of(arguments, "ParallelGCThreads");
    bool is_narrow = !is_on(arguments, "UseZGC") && !argument_last(&other, arguments, "ObjectAlignmentInBytes");
    if (is_narrow && heap >= WIDE_FROM_GIB * GIB && heap <= WIDE_TO_GIB * GIB)
        say(f, FINDING_HEAP_SETUP, SETUP_SCORE, "MaxHeapSize",
            findings_say(f,
                         "from 32 GiB on, references take 8 bytes instead of 4: this heap of %.1f GiB has room for fewer objects than a "
                         "heap of 31 GiB",
                         (double)heap / GIB),
            "set -Xmx31g, or use a heap of more than 40 GiB");
    if (heap && argument_last(&other, arguments, "MaxRAMPercentage"))
        say(f, FINDING_HEAP_SETUP, SETUP_SCORE, "MaxRAMPercentage",
            findings_say(f, "%.100s has no effect, because -Xmx is given, too", other.word), "remove one of the two flags");
    if (processors && threads > processors)
        say(f, FINDING_HEAP_SETUP, SETUP_SCORE, "ParallelGCThreads",
            findings_say(f, "%llu threads collect garbage on %u processors, so some of them wait while the others run",
                         (unsigned long long)threads, processors),
            "remove ParallelGCThreads: the JVM knows the number of processors and the container's quota");
    if (is_on(arguments, "UseSerialGC") && processors >= SERIAL_PROCESSORS && heap >= SERIAL_HEAP_GIB * GIB)
        say(f, FINDING_HEAP_SETUP, SETUP_SCORE, "UseSerialGC",
            findings_say(f, "a single thread collects the garbage of a heap of %.1f GiB, on a machine with %u processors",
                         (double)heap / GIB, processors),
            "use -XX:+UseG1GC or -XX:+UseParallelGC, unless the container allows only one processor");
}

/* ---- remote control ---- */

static bool is_local(const char *host)
{
    return !strncmp(host, "localhost", 9) || !strncmp(host, "127.", 4) || !strncmp(host, "[::1]", 5);
}

/* Whether a debugger can connect from other machines. Without a host, JDK 9 and later listen only on the local machine. */
static bool debugs_for_all(const struct argument *a, uint32_t jdk)
{
    const char *address = strstr(a->word, "address=");
    bool is_debugger = !strncmp(a->word, "-agentlib:jdwp", 14) || !strncmp(a->word, "-Xrunjdwp", 9);
    if (!is_debugger || !strstr(a->word, "server=y"))
        return false;
    address = address ? address + 8 : "";
    bool has_host = !isdigit((unsigned char)*address) || address[strspn(address, "0123456789.")] == ':';
    return has_host ? *address && !is_local(address) : jdk && jdk <= 8;
}

static bool manages_for_all(const char *arguments)
{
    struct argument a;
    bool has_port = argument_last(&a, arguments, "-Dcom.sun.management.jmxremote.port");
    bool is_free = argument_last(&a, arguments, "-Dcom.sun.management.jmxremote.authenticate") && !strcmp(a.value, "false");
    bool is_far = !argument_last(&a, arguments, "-Dcom.sun.management.jmxremote.host") || !is_local(a.value);
    return has_port && is_free && is_far;
}

static void judge_doors(struct findings *f, const char *arguments, uint32_t jdk)
{
    struct argument a;
    for (const char *rest = arguments; argument_next(&a, &rest);)
        if (debugs_for_all(&a, jdk))
            say(f, FINDING_REMOTE_CONTROL, OPEN_SCORE, "jdwp",
                findings_say(f,
                             "the debugger's port is open to other machines (%.200s); anyone who can reach it can run any code in this JVM",
                             a.word),
                "remove -agentlib:jdwp, or use address=localhost:PORT and a tunnel");
    if (manages_for_all(arguments))
        say(f, FINDING_REMOTE_CONTROL, OPEN_SCORE, "jmxremote",
            findings_string(f, "JMX is open to other machines without a password; anyone who can reach it can run any code in this JVM"),
            "set jmxremote.authenticate=true and use TLS, or set jmxremote.host=localhost and use a tunnel");
}

/* ---- secrets ---- */

static bool has(const char *text, const char *const *words, size_t count, bool at_end)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(words[i]);
        for (size_t at = at_end && length > n ? length - n : 0; at + n <= length; at++)
            if (!strncasecmp(text + at, words[i], n))
                return true;
    }
    return false;
}

#define HAS(text, words, at_end) has(text, words, sizeof(words) / sizeof *(words), at_end)

/* Whether a name is that of a secret. Names that describe the place of a secret, or a property of it, do not count. */
static bool names_secret(const char *name)
{
    static const char *const secrets[] = {"password", "passwd",  "passphrase", "secret",     "token",      "apikey",    "api-key",
                                          "api.key",  "api_key", "access-key", "access_key", "access.key", "accesskey", "credential"};
    static const char *const others[] = {"file",    "path",    "location", "dir",    "url",    "uri",     "class", "provider",  "type",
                                         "enabled", "timeout", "ttl",      "length", "expiry", "encoder", "name",  "algorithm", "s"};
    static const char *const harmless[] = {"tokeniz"};
    return HAS(name, secrets, false) && !HAS(name, others, true) && !HAS(name, harmless, false);
}

static bool is_secret(const char *value)
{
    return *value && *value != '-' && *value != '/' && *value != '$' && strcmp(value, "true") && strcmp(value, "false") &&
           value[strspn(value, "0123456789")];
}

/* Reports secrets, by their names only, because the values must not be shown. */
static void judge_secrets(struct findings *f, const char *arguments)
{
    struct argument a, next;
    for (const char *rest = arguments; argument_next(&a, &rest);) {
        const char *after = rest, *name = a.name + strspn(a.name, "-");
        bool is_pair = a.word[0] == '-' && !strchr(a.word, '=') && argument_next(&next, &after); /* --password hunter2 */
        name += a.word[0] == '-' && *name == 'D' && a.word[1] == 'D';
        if (!a.is_flag && names_secret(name) && is_secret(is_pair ? next.word : a.value))
            say(f, FINDING_SECRET_IN_ARGUMENTS, SECRET_SCORE, name,
                findings_say(
                    f,
                    "the command line contains the value of %.200s: every user of the machine can read it (with ps), and tools record it",
                    name),
                NULL);
    }
}

void rule_flags(struct findings *f, const struct evidence *e)
{
    struct argument a;
    if (!e->jvm)
        return;
    for (const char *rest = e->jvm->arguments; argument_next(&a, &rest);) {
        judge_twice(f, &a, rest);
        judge_known(f, &a);
        judge_outdated(f, &a, e->jvm->feature);
    }
    judge_heap(f, e->jvm->arguments, e->processors);
    judge_doors(f, e->jvm->arguments, e->jvm->feature);
    judge_secrets(f, e->jvm->arguments);
    judge_secrets(f, e->jvm->java_arguments);
}
