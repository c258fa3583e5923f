/* The table of costs. Each is found at its limit and not below it, with the line of the program that causes it. Similar work with other
 * methods is not reported.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "base/time_units.h"
#include "profile_maker.h"

#include <string.h>

#define BEGAN (1000 * (int64_t)NS_PER_S)

enum { SAMPLES = 1000, NONE_KNOWN = -1 };

/* For each cost a method that causes it, and a method that does the work without it. */
static const struct {
    const char *id, *dear, *cheap;
} cases[] = {
    {"regex_compiled", "java.lang.String.replaceAll:1;java.util.regex.Pattern.compile:9", "java.util.regex.Matcher.find:9"},
    {"regex_backtracks", "java.util.regex.Matcher.matches:1;java.util.regex.Pattern$Loop.match:9",
     "java.util.regex.Matcher.matches:1;java.util.regex.Pattern$CharProperty.match:9"},
    {"text_formatted", "java.lang.String.format:1;java.util.Formatter.format:2", "java.lang.StringBuilder.append:2"},
    {"formats_made", "java.text.SimpleDateFormat.<init>:1", "java.text.SimpleDateFormat.format:1"},
    {"stacks_walked", "java.lang.Thread.getStackTrace:1", "java.lang.Thread.currentThread:1"},
    {"hash_collisions", "java.util.HashMap.get:1;java.util.HashMap$TreeNode.find:5", "java.util.HashMap.get:1"},
    {"list_scanned", "java.util.ArrayList.contains:1;java.util.ArrayList.indexOfRange:3", "java.util.HashSet.contains:1"},
    {"collections_grow", "java.util.ArrayList.add:1;java.util.ArrayList.grow:2;java.util.Arrays.copyOf:3", "java.util.ArrayList.add:1"},
    {"copied_on_write", "java.util.concurrent.CopyOnWriteArrayList.add:1", "java.util.concurrent.CopyOnWriteArrayList.get:1"},
    {"java_serialization", "java.io.ObjectOutputStream.writeObject:1", "java.io.DataOutputStream.writeUTF:1"},
    {"reflection_lookups", "java.lang.Class.getMethod:1", "java.lang.reflect.Method.invoke:1"},
    {"lookups_repeated", "java.util.ServiceLoader$LazyIterator.hasNext:1", "java.util.Iterator.hasNext:1"},
    {"class_loading", "java.lang.ClassLoader.defineClass:1", "java.lang.Class.newInstance:1"},
    {"logging", "ch.qos.logback.classic.Logger.callAppenders:1", "ch.qos.logback.classic.Logger.isDebugEnabled:1"},
    {"console_output", "java.io.PrintStream.println:1", "java.io.BufferedWriter.write:1"},
    {"bytes_one_by_one", "java.io.FileInputStream.read:1;Native|java.io.FileInputStream.read0", "Native|java.io.FileInputStream.readBytes"},
    {"files_opened", "Native|java.io.FileInputStream.open0", "Native|java.io.FileInputStream.readBytes"},
    {"properties_loaded", "java.util.Properties.load:1;java.util.Properties.load0:4", "java.util.Properties.getProperty:4"},
    {"direct_buffers", "java.nio.ByteBuffer.allocateDirect:1", "java.nio.DirectByteBuffer.slice:1;java.nio.DirectByteBuffer.<init>:2"},
    {"busy_waiting", "Native|java.lang.Thread.yield", "java.lang.Thread.run:1"},
    {"secure_random", "java.util.UUID.randomUUID:1;java.security.SecureRandom.nextBytes:2", "java.util.Random.nextInt:1"},
    {"random_shared", "java.util.Random.nextInt:1;java.util.Random.next:2", "java.util.concurrent.ThreadLocalRandom.nextInt:1"},
    {"keys_generated", "java.security.KeyPairGenerator$Delegate.generateKeyPair:1", "java.security.Signature.sign:1"},
    {"tls_handshakes", "sun.security.ssl.SSLHandshake.consume:1", "sun.security.ssl.SSLSocketOutputRecord.deliver:1"},
    {"thread_locals", "java.lang.ThreadLocal$ThreadLocalMap.getEntryAfterMiss:1", "java.lang.ThreadLocal.get:1"},
    {"finalizers", "java.lang.ref.Finalizer.register:1", "java.lang.ref.Reference.<init>:1"},
    {"strings_interned", "Native|java.lang.String.intern", "java.lang.String.equals:1"},
    {"tables_scanned", "org.h2.mvstore.db.MVPrimaryIndex$MVStoreCursor.next:1", "org.h2.mvstore.db.MVSecondaryIndex.find:1"},
    {"statements_parsed", "org.h2.command.Parser.prepareCommand:1", "org.h2.command.Command.executeQuery:1"},
    {"mappers_made", "com.fasterxml.jackson.databind.ObjectMapper.<init>:1",
     "com.fasterxml.jackson.databind.ObjectMapper.writeValueAsString:1"},
    {"templates_compiled", "freemarker.template.Template.<init>:1", "freemarker.template.Template.process:1"},
    {"clients_made", "org.apache.hc.client5.http.impl.classic.HttpClients.createDefault:1",
     "org.apache.hc.client5.http.impl.classic.CloseableHttpClient.execute:1"},
    {"names_resolved", "java.net.InetAddress.getAllByName:1", "java.net.InetAddress.getAddress:1"},
    {"connections_opened", "sun.nio.ch.NioSocketImpl.connect:1", "sun.nio.ch.NioSocketImpl.implRead:1"},
    {"file_locks", "sun.nio.ch.FileChannelImpl.lock:1", "sun.nio.ch.FileChannelImpl.write:1"},
    {"processes_started", "java.lang.ProcessBuilder.start:1", "java.lang.ProcessHandle.current:1"},
};

#define COUNT_OF(...) +1
enum { CASES = sizeof cases / sizeof *cases, COSTS = COST_ROWS(COUNT_OF, ) };

#define LIMIT_OF(F, symbol, id, title, words, source, limit, when, remedy) {id, limit, SOURCE_##source == SOURCE_WALL},

static const struct limit {
    const char *id;
    double limit;
    bool waits;
} limits[] = {COST_ROWS(LIMIT_OF, )};

static const struct limit *limit_of(const char *id)
{
    for (int i = 0; i < COSTS; i++)
        if (!strcmp(limits[i].id, id))
            return &limits[i];
    return NULL;
}

struct plan {
    const char *frames;
    bool waits;
    int part;         /* of SAMPLES */
    uint64_t each_ns; /* each sample's weight */
    int64_t began_ns; /* of the JVM */
};

/* Adds the samples; those of the part come first, and all of them in the second after BEGAN. */
static void fill(struct profile *p, const struct plan *plan)
{
    char frames[300];
    maker_init(p);
    p->kind = plan->waits ? PROFILE_WALL : PROFILE_RUNNING;
    snprintf(frames, sizeof frames, "demo.Main.run:1;demo.Shop.sell:7;%s", plan->frames);
    for (int i = 0; i < SAMPLES; i++) {
        maker_sample(p, i < plan->part ? frames : "demo.Main.run:1;demo.Shop.count:9", plan->each_ns);
        p->samples[p->sample_count - 1].time_ns = BEGAN + i;
        p->samples[p->sample_count - 1].state = plan->waits ? JFR_STATE_IO : JFR_STATE_JAVA;
    }
}

/* Returns the number of findings; *is_right: there is only one, it is of that kind, and has its line and a command that shows it. */
static uint32_t findings_in(const struct plan *plan, const char *id, bool *is_right)
{
    struct profile p;
    struct findings f;
    fill(&p, plan);
    struct evidence e = {
        .cpu = plan->waits ? NULL : &p, .wall = plan->waits ? &p : NULL, .duration_ns = 10 * NS_PER_S, .jvm_start_ns = plan->began_ns};
    if (findings_init(&f) || analyze(&f, &e))
        tap_ok(false, "there is memory");
    const struct finding *one = f.count ? &f.list[0] : NULL;
    *is_right = one && f.count == 1 && one->kind == finding_named(id, strlen(id)) &&
                !strcmp(findings_text(&f, one->site), "demo.Shop.sell:7") && strstr(findings_text(&f, one->text), "demo.Shop.sell:7");
    for (uint32_t i = 0; !*is_right && i < f.count; i++)
        tap_note("%s %.1f: %s", finding_infos[f.list[i].kind].id, f.list[i].score, findings_text(&f, f.list[i].text));
    uint32_t count = f.count;
    findings_deinit(&f);
    profile_deinit(&p);
    return count;
}

/* The smallest number of samples that gives a score of SCORE_INFO. */
static int least(const struct limit *l, uint64_t each_ns)
{
    for (int part = 10; part < SAMPLES; part++) {
        double each = (double)each_ns, share = amount_share(part, SAMPLES, SAMPLES).low;
        struct amount mean = amount_normal(part * each, each * __builtin_sqrt(part));
        if (score_saturate(l->waits ? mean.low / (10 * (double)NS_PER_S) : share, l->limit) >= SCORE_INFO)
            return part;
    }
    return SAMPLES;
}

static void test_case(int i)
{
    const struct limit *l = limit_of(cases[i].id);
    bool right;
    if (!tap_ok(l != NULL, "%s is a cost", cases[i].id))
        return;
    struct plan plan = {cases[i].dear, l->waits, 0, 20 * NS_PER_MS, BEGAN - 60 * (int64_t)NS_PER_S - 1};
    plan.part = least(l, plan.each_ns);
    uint32_t found = findings_in(&plan, l->id, &right);
    tap_ok(found == 1 && right, "%s: found by %d samples of %d, and where", l->id, plan.part, SAMPLES);
    plan.part--;
    tap_ok(!findings_in(&plan, l->id, &right), "%s: silent by one less", l->id);
    plan.part = SAMPLES;
    plan.frames = cases[i].cheap;
    tap_ok(!findings_in(&plan, l->id, &right), "%s: the twin is silent", l->id);
}

static void test_idle(void)
{
    bool right;
    struct plan plan = {"java.util.regex.Pattern.compile:9", false, SAMPLES, 520 * NS_PER_MS / 1000, NONE_KNOWN};
    tap_ok(findings_in(&plan, "regex_compiled", &right) == 1 && right, "a twentieth of a processor");
    plan.each_ns = 490 * NS_PER_MS / 1000;
    tap_ok(!findings_in(&plan, "regex_compiled", &right), "less of it is the little that an idle program does");
}

static void test_beginning(void)
{
    bool right;
    struct plan plan = {"java.lang.ClassLoader.defineClass:1", false, SAMPLES, 20 * NS_PER_MS, BEGAN - 59 * (int64_t)NS_PER_S};
    tap_ok(!findings_in(&plan, "class_loading", &right), "every program loads classes when it begins");
    plan.began_ns = 0;
    tap_ok(!findings_in(&plan, "class_loading", &right), "and when it began may be unknown");
    plan.began_ns = BEGAN - 61 * (int64_t)NS_PER_S;
    tap_ok(findings_in(&plan, "class_loading", &right) == 1 && right, "later it is a finding");
}

static void test_console_of_logger(void)
{
    bool right;
    struct plan plan = {"ch.qos.logback.classic.Logger.callAppenders:1;java.io.PrintStream.write:2", false, SAMPLES, 20 * NS_PER_MS,
                        NONE_KNOWN};
    tap_ok(findings_in(&plan, "logging", &right) == 1 && right, "a logger that prints is logging, and nothing else");
}

int main(void)
{
    tap_ok((int)CASES == (int)COSTS, "each cost has a case");
    for (int i = 0; i < CASES; i++)
        test_case(i);
    test_idle();
    test_beginning();
    test_console_of_logger();
    return tap_done();
}
