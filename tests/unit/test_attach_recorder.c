/* Controlling the JDK's recorder from outside: how its answers are understood, the settings that it is given, and the folder through
 * which files pass.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "attach/jvm.h"
#include "attach/recorder.h"
#include "attach/recorder_folder.h"
#include "attach/recorder_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error error;
static struct recorder_list found;

static int check(const char *text)
{
    error.text[0] = 0;
    return recorder_parse_check(text, &found, &error);
}

static bool is(unsigned i, unsigned long id, const char *name, bool running)
{
    const struct recorder_recording *r = &found.list[i];
    bool same = i < found.count && r->id == id && !strcmp(r->name, name) && r->running == running;
    if (!same)
        tap_note("%u recordings; %lu '%s' %d", found.count, r->id, r->name, r->running);
    return same;
}

static void test_lists(void)
{
    tap_ok(!check("Recording 1: name=1 maxsize=250.0MB (running)\n"
                  "Recording 12: name=App server duration=1m maxsize=1.0GB maxage=1h (stopped)\n") &&
               found.count == 2 && is(0, 1, "1", true) && is(1, 12, "App server", false),
           "recordings");
    tap_ok(!check("\nRecording 3: name=x (delayed)\r\n\nUse jcmd 7 JFR.start to start a recording.\n") && found.count == 1 &&
               is(0, 3, "x", false),
           "one that does not run yet, other lines passed over");
    tap_ok(!check("Recording: recording=4 name=\"Old one\" (running)\n") && found.count == 1 && is(0, 4, "Old one", true),
           "the words of older JDKs");
    tap_ok(!check("Recording 5: name=a (b) (running)\n") && found.count == 1 && is(0, 5, "a", true),
           "a name is cut before what looks like what follows one");
    tap_ok(!check("No available recordings.\n\nUse jcmd 7 JFR.start to start a recording.\n") && !found.count, "none");
    tap_ok(check("Module jdk.jfr not found.\nFlight Recorder can not be enabled.\n") == -ENOSYS &&
               !strcmp(error.text, "the JVM says: Module jdk.jfr not found.") && !found.count,
           "an image without the module");
    tap_ok(check("Flight Recorder is disabled.\n") == -ENOSYS && check("") == -ENOSYS &&
               check("Recording\nRecording x: name=y (running)\n") == -ENOSYS,
           "disabled; nothing; garbage");
}

static void test_long_lists(void)
{
    static char text[20000];
    size_t n = 0;
    for (unsigned i = 1; i <= 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Recording %u: name=%0100u (running)\n", i, i);
    tap_ok(!check(text) && found.count == RECORDER_LIST_MAX && found.list[RECORDER_LIST_MAX - 1].id == RECORDER_LIST_MAX &&
               strlen(found.list[0].name) == RECORDER_NAME_BYTES - 1,
           "as many as there is room for, and as much of a name");
    memset(text, 'x', sizeof text - 1);
    tap_ok(check(text) == -ENOSYS && !strchr(error.text, '\n'), "a line without an end");
}

static void test_answers(void)
{
    tap_ok(!recorder_judge("Started recording 1. No limit specified, using maxsize=250MB as default.\n", "Started recording", &error),
           "started");
    tap_ok(!recorder_judge("Dumped recording \"1\", 412.9 kB written to:\n\n/tmp/x.jfr\n", "Dumped recording", &error), "dumped");
    tap_ok(recorder_judge("Could not find candor-7.\n\nUse JFR.check ...\n", "Stopped recording", &error) == -ENOENT &&
               recorder_judge("No available recordings.\n", "Stopped recording", &error) == -ENOENT,
           "no such recording");
    tap_ok(recorder_judge("\nCould not start recording, not able to write to file: /x\n", "Started recording", &error) == -EREMOTEIO &&
               strstr(error.text, "not able to write") && !strchr(error.text, '\n'),
           "a refusal, in its words");
    tap_ok(recorder_judge("", "Started recording", &error) == -EREMOTEIO, "silence is none of it");
}

static void test_versions(void)
{
    tap_ok(jvm_feature("17.0.19") == 17 && jvm_feature("1.8.0_462") == 8 && jvm_feature("27") == 27 && jvm_feature("21-ea") == 21,
           "feature versions");
    tap_ok(!jvm_feature("") && !jvm_feature("x") && !jvm_feature("-1") && !jvm_feature("99999999999999999999"), "and what is none");
}

/* ---- settings ---- */

static unsigned occurrences(const char *text, const char *word)
{
    unsigned n = 0;
    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

/* The text from the beginning of an event to its end; "" if there is no such event. */
static const char *event_of(const char *text, const char *name)
{
    static char out[1024];
    char head[64];
    snprintf(head, sizeof head, "<event name=\"jdk.%s\">", name);
    const char *at = strstr(text, head), *end = at ? strstr(at, "</event>") : NULL;
    snprintf(out, sizeof out, "%.*s", end ? (int)(end - at) : 0, end ? at : "");
    return out;
}

static bool has(const char *text, const char *name, const char *setting, const char *value)
{
    char whole[128];
    snprintf(whole, sizeof whole, "<setting name=\"%s\">%s</setting>", setting, value);
    return strstr(event_of(text, name), whole) != NULL;
}

static char *settings(unsigned feature, bool locks)
{
    struct buffer b;
    buffer_init(&b, 1 << 16);
    recorder_settings(&b, feature, locks);
    buffer_u8(&b, 0);
    return b.failed ? calloc(1, 1) : (char *)b.data;
}

static void test_settings_of(unsigned feature)
{
    static const char *const of_all[] = {
        "GarbageCollection", "GCPhasePause",       "SystemGC",        "SafepointBegin", "SafepointStateSynchronization",
        "SafepointEnd",      "ExecuteVMOperation", "ZAllocationStall"};
    char *text = settings(feature, true), *without = settings(feature, false);
    unsigned good = 0;
    for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++)
        good += has(text, of_all[i], "enabled", "true") && has(text, of_all[i], "threshold", "0 ms");
    tap_ok(good == sizeof of_all / sizeof *of_all, "%u: what stops all threads, however short", feature);
    tap_ok(has(text, "ActiveSetting", "enabled", "true"), "%u: what is recorded is told", feature);
    tap_ok(has(text, "JavaMonitorEnter", "threshold", "10 ms") && has(text, "ThreadPark", "stackTrace", "true"), "%u: waits from 10 ms on",
           feature);
    tap_ok(!*event_of(without, "JavaMonitorEnter") && !*event_of(without, "ThreadPark") && *event_of(without, "JavaMonitorWait"),
           "%u: but none that the agent records", feature);
    tap_ok(occurrences(text, "<event ") == occurrences(text, "</event>") &&
               occurrences(text, "<setting ") == occurrences(text, "</setting>") &&
               occurrences(text, "<configuration version=\"2.0\"") == 1 && occurrences(text, "</configuration>") == 1 &&
               !strncmp(text, "<?xml ", 6) && !strchr(text, '&'),
           "%u: well-formed", feature);
    free(text);
    free(without);
}

static void test_floods(void)
{
    char *old = settings(24, true), *new = settings(25, true), *unknown = settings(0, true);
    tap_ok(!*event_of(old, "JavaExceptionThrow") && has(old, "JavaErrorThrow", "stackTrace", "false") && !strstr(old, "throttle"),
           "without a throttle: Errors alone, and no stacks of them");
    tap_ok(has(new, "JavaExceptionThrow", "throttle", "100/s") && !*event_of(new, "JavaErrorThrow"), "with one: all, so many of them");
    tap_ok(has(old, "SocketRead", "threshold", "10 ms") && has(new, "SocketRead", "threshold", "1 ms") &&
               has(new, "FileWrite", "throttle", "100/s"),
           "sockets and files likewise");
    tap_ok(has(old, "ExceptionStatistics", "period", "1000 ms") && has(new, "ExceptionStatistics", "enabled", "true"),
           "they are counted anyway");
    tap_ok(!strcmp(old, unknown), "a JDK of an unknown version has no throttle");
    free(old);
    free(new);
    free(unknown);
}

/* ---- the folder ---- */

static struct recorder_folder folder;
static char name[64], path[128];

static int try_open(void)
{
    struct recorder_folder other;
    struct process self;
    process_read(getpid(), &self, &error);
    int code = recorder_folder_open(&other, &self, name, &error);
    recorder_folder_close(&other);
    return code;
}

static void test_folder(void)
{
    struct process self;
    struct stat st;
    char back[16] = "";
    snprintf(name, sizeof name, ".candor-test-%d", getpid());
    if (!tap_ok(!process_read(getpid(), &self, &error) && !recorder_folder_make(&folder, &self, name, &error), "a folder is made"))
        return;
    recorder_folder_path(&folder, RECORDER_SETTINGS, path, sizeof path);
    tap_ok(!recorder_folder_write(&folder, RECORDER_SETTINGS, "text", 4, &error) && !stat(path, &st) && (st.st_mode & 0777) == 0600,
           "and a file in it");
    int fd = recorder_folder_read(&folder, RECORDER_SETTINGS);
    tap_ok(fd >= 0 && read(fd, back, sizeof back) == 4 && !memcmp(back, "text", 4), "which can be read back");
    close(fd);
    tap_ok(recorder_folder_write(&folder, RECORDER_SETTINGS, "more", 4, &error) == -EEXIST, "what is there is not written over");
    tap_ok(recorder_folder_read(&folder, RECORDER_FLIGHT) == -ENOENT, "what is not there");
    struct recorder_folder again;
    tap_ok(recorder_folder_make(&again, &self, name, &error) == -EEXIST && *error.text, "it is made once");
    tap_ok(try_open() == -EBUSY && strstr(error.text, "another candor"), "and is nobody else's while it is open");
    recorder_folder_close(&folder);
    tap_ok(!try_open() && !recorder_folder_open(&folder, &self, name, &error), "behind that it is found again");
}

static void test_planted(void)
{
    char link[128];
    recorder_folder_path(&folder, RECORDER_FLIGHT, link, sizeof link);
    tap_ok(!symlink("/etc/passwd", link) && recorder_folder_read(&folder, RECORDER_FLIGHT) == -EPERM, "a link is not followed");
    recorder_folder_drop(&folder, RECORDER_FLIGHT);
    tap_ok(!mkfifo(link, 0600) && recorder_folder_read(&folder, RECORDER_FLIGHT) == -EPERM, "nor is a pipe waited for");
    path[strlen(path) - strlen("/" RECORDER_SETTINGS)] = 0;
    chmod(path, 0755);
    tap_ok(try_open() == -EPERM, "a folder that others can read is none of ours");
    chmod(path, 0700);
    recorder_folder_remove(&folder);
    tap_ok(access(path, F_OK) && folder.directory < 0 && folder.tmp < 0, "nothing is left");
    tap_ok(!symlink("/etc", path) && try_open() == -EPERM, "a link in its place");
    unlink(path);
    tap_ok(try_open() == -ENOENT, "or nothing");
    recorder_folder_remove(&folder);
}

int main(void)
{
    test_lists();
    test_long_lists();
    test_answers();
    test_versions();
    test_settings_of(8);
    test_settings_of(17);
    test_settings_of(27);
    test_floods();
    test_folder();
    test_planted();
    return tap_done();
}
