/* The command line: the problems that are found in it, and command lines without problems.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "analysis/analyze.h"
#include "analysis/arguments.h"
#include "base/time_units.h"

#include <stdio.h>
#include <string.h>

enum { MACHINE = 4 };

#define FINE "-server -Xms2g -Xmx2048m -XX:+UseG1GC -XX:MaxGCPauseMillis=200 -Dfile.encoding=UTF-8 -cp /opt/app.jar"

/* "" = nothing is found. */
static const struct {
    const char *jvm, *java;
    uint32_t jdk;
    const char *id, *subject;
} cases[] = {
    {FINE, "shop.Main --port 8080", 25, "", ""},
    {"-Xint", "", 25, "flag_slow", "-Xint"},
    {"-Xinternalversion", "", 25, "", ""},
    {"-XX:TieredStopAtLevel=1", "", 21, "flag_slow", "-XX:TieredStopAtLevel=1"},
    {"-XX:TieredStopAtLevel=4", "", 21, "", ""},
    {"-noverify", "", 17, "flag_risky", "-noverify"},
    {"-XX:+UseGCOverheadLimit", "", 17, "", ""},
    {"-XX:-UseGCOverheadLimit", "", 17, "flag_risky", "-XX:-UseGCOverheadLimit"},
    {"-XX:+UseConcMarkSweepGC", "", 8, "", ""},
    {"-XX:+UseConcMarkSweepGC", "", 11, "flag_outdated", "UseConcMarkSweepGC"},
    {"-XX:MaxPermSize=256m", "", 8, "flag_outdated", "MaxPermSize"},
    {"-XX:MaxMetaspaceSize=256m", "", 8, "", ""},
    {"-XX:+ZGenerational -XX:+UseZGC", "", 21, "", ""},
    {"-XX:+ZGenerational -XX:+UseZGC", "", 25, "flag_outdated", "ZGenerational"},
    {"-XX:+UseConcMarkSweepGC -XX:+UseParNewGC", "", 8, "", ""},
    {"-XX:+UseParNewGC", "", 9, "flag_outdated", "UseParNewGC"},
    {"-Djava.security.manager=allow", "", 17, "flag_outdated", "-Djava.security.manager"},
    {"-Djava.security.manager", "", 17, "flag_outdated", "-Djava.security.manager"},
    {"-Djava.security.manager=disallow", "", 17, "", ""},
    {"-Xmx1g -XX:MaxHeapSize=2g", "", 17, "flag_twice", "MaxHeapSize"},
    {"-Xmx1g -XX:MaxHeapSize=1024m", "", 17, "", ""},
    {"-XX:+UseG1GC -XX:-UseG1GC", "", 17, "flag_twice", "UseG1GC"},
    {"-Da=1 -Da=2", "", 17, "flag_twice", "-Da"},
    {"-Da=1 -Da=1 -Dab=2", "", 17, "", ""},
    {"-javaagent:a.jar=x=1 -javaagent:a.jar=x=2 --add-opens a=b --add-opens a=c", "", 17, "", ""},
    {"-XX:CompileCommand=inline,a -XX:CompileCommand=inline,b", "", 17, "", ""},
    {"-Xmx32g", "", 17, "heap_setup", "MaxHeapSize"},
    {"-Xmx31g", "", 17, "", ""},
    {"-Xmx40g", "", 17, "heap_setup", "MaxHeapSize"},
    {"-Xmx41g", "", 17, "", ""},
    {"-Xmx32g -XX:+UseZGC", "", 17, "", ""},
    {"-Xmx4g -XX:MaxRAMPercentage=75", "", 17, "heap_setup", "MaxRAMPercentage"},
    {"-XX:MaxRAMPercentage=75", "", 17, "", ""},
    {"-XX:ParallelGCThreads=5", "", 17, "heap_setup", "ParallelGCThreads"},
    {"-XX:ParallelGCThreads=4", "", 17, "", ""},
    {"-XX:+UseSerialGC -Xmx4g", "", 17, "heap_setup", "UseSerialGC"},
    {"-XX:+UseSerialGC -Xmx3g", "", 17, "", ""},
    {"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005", "", 17, "remote_control", "jdwp"},
    {"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0.0.0.0:5005", "", 17, "remote_control", "jdwp"},
    {"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5005", "", 8, "remote_control", "jdwp"},
    {"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5005", "", 17, "", ""},
    {"-agentlib:jdwp=transport=dt_socket,server=y,address=127.0.0.1:5005", "", 17, "", ""},
    {"-agentlib:jdwp=transport=dt_socket,server=n,address=far:5005", "", 17, "", ""},
    {"-Dcom.sun.management.jmxremote.port=9 -Dcom.sun.management.jmxremote.authenticate=false", "", 17, "remote_control", "jmxremote"},
    {"-Dcom.sun.management.jmxremote.port=9 -Dcom.sun.management.jmxremote.authenticate=true", "", 17, "", ""},
    {"-Dcom.sun.management.jmxremote.port=9 -Dcom.sun.management.jmxremote.authenticate=false "
     "-Dcom.sun.management.jmxremote.host=localhost",
     "", 17, "", ""},
    {"-Djavax.net.ssl.keyStorePassword=hunter2", "", 17, "secret_in_arguments", "javax.net.ssl.keyStorePassword"},
    {"", "shop.Main --db-password=hunter2", 17, "secret_in_arguments", "db-password"},
    {"", "shop.Main --token hunter2", 17, "secret_in_arguments", "token"},
    {"-Dapi.key=***", "", 17, "secret_in_arguments", "api.key"},
    {"-Dpassword.file=/etc/secret -Dtoken.ttl=60 -Dmax.tokens=20 -Duse.token=true -Dpassword=", "shop.Main --token --verbose", 17, "", ""},
    {"-Dtokenizer=bpe -Dtokenization.model=small", "shop.Main --tokenizer bpe", 17, "", ""},
    {"-Djava.security.auth.login.config=/etc/jaas -XX:TokenFlag=hunter2", "", 17, "", ""},
};

static bool shows(const struct findings *f, const char *text)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (strstr(findings_text(f, f->list[i].text), text))
            return true;
    return false;
}

static void test_case(int i)
{
    struct findings f;
    struct jvm_info jvm = {(char *)cases[i].jvm, (char *)cases[i].java, cases[i].jdk, 0, true};
    struct evidence e = {.jvm = &jvm, .processors = MACHINE, .duration_ns = NS_PER_S};
    if (findings_init(&f) || analyze(&f, &e))
        tap_ok(false, "there is memory");
    bool as_wanted = *cases[i].id ? f.count == 1 && !strcmp(finding_infos[f.list[0].kind].id, cases[i].id) &&
                                        !strcmp(findings_text(&f, f.list[0].subject), cases[i].subject)
                                  : !f.count;
    if (!tap_ok(as_wanted && !shows(&f, "hunter2"), "JDK %u %s %s: %s", cases[i].jdk, cases[i].jvm, cases[i].java,
                *cases[i].id ? cases[i].id : "nothing"))
        for (uint32_t k = 0; k < f.count; k++)
            tap_note("%s %s", finding_infos[f.list[k].kind].id, findings_text(&f, f.list[k].text));
    findings_deinit(&f);
}

static void test_words(void)
{
    struct argument a;
    const char *rest = "  -XX:+UseG1GC -Xmx4g   -Dkey=a=b ";
    tap_ok(argument_next(&a, &rest) && !strcmp(a.name, "UseG1GC") && !strcmp(a.value, "+") && a.is_flag, "a flag that is on");
    tap_ok(argument_next(&a, &rest) && !strcmp(a.name, "MaxHeapSize") && !strcmp(a.value, "4g"), "a size by its short name");
    tap_ok(argument_next(&a, &rest) && !strcmp(a.name, "-Dkey") && !strcmp(a.value, "a=b") && !a.is_flag, "a property");
    tap_ok(!argument_next(&a, &rest), "and no more");
    tap_ok(argument_bytes("4g") == UINT64_C(4) << 30 && argument_bytes("512K") == 512 << 10 && argument_bytes("7") == 7, "sizes");
    tap_ok(!argument_bytes("") && !argument_bytes("4gb") && !argument_bytes("x") && !argument_bytes("99999999999999999999g"), "and none");
    char text[2 * ARGUMENT_BYTES];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    rest = text;
    tap_ok(argument_next(&a, &rest) && strlen(a.word) == ARGUMENT_BYTES - 1 && !argument_next(&a, &rest), "a long word is cut");
}

static void test_versions(void)
{
    tap_ok(jvm_info_feature("25.0.5+8-1-deb13u1-Debian (Debian)") == 25, "JDK 25");
    tap_ok(jvm_info_feature("25.504-b01 (Debian)") == 8, "the JVM of JDK 8");
    tap_ok(jvm_info_feature("OpenJDK 64-Bit Server VM (25.504-b01) for linux-amd64 JRE (1.8.0_504-b01), built on") == 8,
           "in its own words");
    tap_ok(jvm_info_feature("OpenJDK 64-Bit Server VM (17.0.19+10) for linux-amd64 JRE (17.0.19+10), built on") == 17, "and JDK 17");
    tap_ok(!jvm_info_feature("") && !jvm_info_feature("unknown"), "and unknown");
}

int main(void)
{
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        test_case(i);
    test_words();
    test_versions();
    return tap_done();
}
