/* The agent's thread without a JVM: well-behaved and misbehaving clients, recordings requested from several sides, and ends at any
 * moment. The typical mistake here makes something hang: then the test times out.
 * tier: default
 * timeout: 600 */
#include "../tap.h"
#include "session.h"

#include "agent/control/loop.h"
#include "agent/control/peers.h"
#include "agent/control/socket.h"
#include "agent/trigger/clocks/clock.h"
#include "agent/trigger/jvm/alloc_events.h"
#include "agent/trigger/jvm/live_objects.h"
#include "agent/trigger/tasks/tasks.h"
#include "base/text/units.h"
#include "base/time_units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct sockaddr_un address;
static char file[64];
static _Atomic int begun, bound, ended;

static void count_begin(void)
{
    begun++;
}

static void count_bind(void)
{
    bound++;
}

static void count_end(void)
{
    ended++;
}

static const struct hooks hooks = {.session_begin = count_begin, .bind_threads = count_bind, .session_end = count_end};

enum { PATIENCE_MS = 60000, LONG_MS = 12000 }; /* if an answer does not come for so long, it never will, however busy the machine is */

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS};
    nanosleep(&t, NULL);
}

static int connect_agent(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !connect(fd, (struct sockaddr *)&address, sizeof address))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Reads until the agent closes the connection. Returns the bytes read, or -1 if it hangs. */
static ssize_t receive(int fd, char *answer, size_t size)
{
    size_t used = 0;
    for (;;) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, PATIENCE_MS) <= 0)
            return -1;
        ssize_t n = read(fd, answer + used, size - 1 - used);
        if (n <= 0) {
            answer[used] = 0;
            return (ssize_t)used;
        }
        used += (size_t)n;
    }
}

static char answer[1 << 16];

/* One request; `answer` gets the first line of the answer. */
static const char *ask_bytes(const void *request, size_t n)
{
    int fd = connect_agent();
    answer[0] = 0;
    if (fd < 0)
        return "no agent";
    if (send(fd, request, n, MSG_NOSIGNAL) != (ssize_t)n || receive(fd, answer, sizeof answer) < 0)
        snprintf(answer, sizeof answer, "hangs");
    close(fd);
    return answer;
}

static const char *ask(const char *request)
{
    char line[512];
    snprintf(line, sizeof line, "%s\n", request);
    return ask_bytes(line, strlen(line));
}

static bool starts_quietly(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool starts(const char *text, const char *with)
{
    bool good = starts_quietly(text, with);
    if (!good)
        tap_note("got: %.200s", text);
    return good;
}

static struct collect_options options_for(enum clock_kind clock)
{
    struct collect_options o = {.events = COLLECT_CPU, .interval_ns = NS_PER_MS, .clock = clock};
    snprintf(o.file, sizeof o.file, "%s", file);
    return o;
}

static bool is_there(void)
{
    struct stat st;
    return !lstat(address.sun_path, &st);
}

static bool has_left(void)
{
    for (int i = 0; i < PATIENCE_MS && is_there(); i++)
        pause_ms(1);
    return !is_there();
}

static int count_tasks(void)
{
    int *tids, n = tasks_list(&tids);
    free(tids);
    return n;
}

/* ---- clients ---- */

static void test_requests(void)
{
    struct stat st;
    struct error e = {""};
    tap_ok(!loop_open(&hooks, false, NULL, &e) && is_there(), "the agent listens (%s)", e.text);
    tap_ok(!lstat(address.sun_path, &st) && S_ISSOCK(st.st_mode) && (st.st_mode & 0777) == 0600, "for us alone");
    tap_ok(starts(ask("status"), "ok\n") && strstr(answer, "state=idle"), "status");
    tap_ok(starts(ask("stop"), "error no recording") && starts(ask("dump"), "error no recording"), "nothing to stop or dump");
    tap_ok(starts(ask(""), "error unknown command ''"), "an empty request");
    tap_ok(starts(ask("dance"), "error unknown command 'dance'"), "an unknown one");
    tap_ok(starts(ask("start"), "error start needs file="), "a start without a file");
    tap_ok(starts(ask_bytes("status\0\n", 8), "error the request contains a zero byte"), "a zero byte is not passed over");
    tap_ok(starts(ask_bytes("status\nstop\nx", 13), "error there is more data"), "one request per connection");
    tap_ok(starts(ask("status now=yes"), "error option 'now' is not for") && starts(ask("stop file=/x"), "error option 'file' is not for"),
           "options that these do not have");
    tap_ok(starts(ask("stop recording=7"), "error no recording") && starts(ask("status recording=7"), "error no recording"),
           "a recording that there is not");
    tap_ok(starts(ask("dump interval=1ms"), "error option 'interval' is not for dump"), "a start's option for a dump");
    tap_ok(starts(ask("start file=/x,file=/y"), "error option 'file' is given twice"), "an option twice");
    tap_ok(starts(ask("status "), "ok\n"), "no options, said at length");
    char *line = malloc(20000);
    memset(line, 'x', 20000);
    line[SOCKET_REQUEST_MAX - 1] = '\n';
    tap_ok(starts(ask_bytes(line, SOCKET_REQUEST_MAX), "error unknown command 'xxxx"), "the longest line");
    line[SOCKET_REQUEST_MAX - 1] = 'x';
    tap_ok(starts(ask_bytes(line, SOCKET_REQUEST_MAX), "error the request is longer"), "a longer one");
    free(line);
}

enum { SILENT = 2 * PEERS_MAX };

/* Returns how many silent clients are still connected when a client that speaks has its answer. */
static int count_silent(void)
{
    int silent[SILENT], open = 0;
    for (int i = 0; i < SILENT; i++)
        silent[i] = connect_agent();
    bool answered = starts(ask("status"), "ok\n");
    for (int i = 0; i < SILENT; i++) {
        struct pollfd p = {silent[i], POLLIN, 0};
        open += poll(&p, 1, 0) == 0;
        close(silent[i]);
    }
    return answered ? open : -1;
}

/* They are disconnected after SOCKET_PATIENCE_MS in any case, so the test tries again if the machine was held up for that long. */
static void test_silent_clients(void)
{
    int open = 0;
    for (int i = 0; i < 5 && !open; i++)
        open = count_silent();
    tap_ok(open == PEERS_MAX - 1, "%d clients that say nothing do not keep one from its answer: the oldest make room (%d stay)", SILENT,
           open);
}

static void test_rude_clients(void)
{
    char byte = 's';
    for (int i = 0; i < 50; i++) {
        int fd = connect_agent();
        if (i % 2)
            send(fd, "status\n", i % 8, MSG_NOSIGNAL);
        close(fd);
    }
    tap_ok(starts(ask("status"), "ok\n"), "nor do fifty that hang up");
    int fd = connect_agent(), sent = 0;
    while (sent < SOCKET_REQUEST_MAX / 2 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1) {
        sent++;
        pause_ms(20);
    }
    tap_ok(sent < SOCKET_REQUEST_MAX / 2, "one that dribbles is hung up on (after %d bytes)", sent);
    close(fd);
}

/* Sends a request whose first byte carries the descriptors, and reads the answer into `answer`. */
static const char *ask_passing(const char *line, const int *fds, size_t count)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(8 * sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(count * sizeof *fds), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)line, strlen(line)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_SPACE(count * sizeof *fds)};
    memcpy(CMSG_DATA(&control.head), fds, count * sizeof *fds);
    int fd = connect_agent();
    if (fd < 0 || sendmsg(fd, &message, MSG_NOSIGNAL) < 0)
        return "cannot send";
    size_t used = 0;
    ssize_t n;
    while (used < sizeof answer - 1 && (n = recv(fd, answer + used, sizeof answer - 1 - used, 0)) > 0)
        used += (size_t)n;
    answer[used] = 0;
    close(fd);
    return answer;
}

static void test_passed_files(void)
{
    static const char start[] = "start file=/named/only,descriptor=passed,clock=timer\n";
    char made[] = "/tmp/candor-passed-XXXXXX";
    struct stat st;
    int fds[8], before = open_files();
    fds[0] = mkostemp(made, O_CLOEXEC);
    for (int i = 1; i < 8; i++)
        fds[i] = fds[0];
    tap_ok(starts(ask("start file=/named/only,descriptor=passed"), "error the open file did not arrive"), "none came");
    int reader = open(made, O_RDONLY | O_CLOEXEC), appender = open(made, O_RDWR | O_APPEND | O_CLOEXEC);
    tap_ok(starts(ask_passing(start, &reader, 1), "error cannot write /named/only"), "one that can only be read");
    tap_ok(starts(ask_passing(start, &appender, 1), "error cannot write /named/only"), "one that only appends");
    int pipes[2];
    tap_ok(!pipe2(pipes, O_CLOEXEC) && starts(ask_passing(start, &pipes[1], 1), "error cannot write /named/only"), "a pipe");
    tap_ok(starts(ask_passing("status\n", fds, 8), "ok\n"), "eight that nobody asked for");
    tap_ok(starts(ask_passing(start, fds, 8), "ok\n") && strstr(answer, "file=/named/only\n"), "the first of eight is taken");
    tap_ok(
        starts(ask_passing("dump file=/x,descriptor=passed\n", fds, 1), "error cannot write /x: it is the file of the running recording"),
        "but not as a copy of itself");
    tap_ok(starts(ask("stop"), "ok\n") && !fstat(fds[0], &st) && st.st_size > 1000, "and holds the recording");
    close(fds[0]);
    close(reader);
    close(appender);
    close(pipes[0]);
    close(pipes[1]);
    unlink(made);
    tap_ok(open_files() == before, "every descriptor that was passed is closed again");
}

static void test_no_descriptors(void)
{
    struct rlimit old, low;
    int *tids, n = tasks_list(&tids), fd = socket(AF_UNIX, SOCK_STREAM, 0);
    int spare = dup(0);
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = (rlim_t)spare;
    close(spare);
    int agent_tid = n > 1 ? tids[n - 1] : 0;
    free(tids);
    setrlimit(RLIMIT_NOFILE, &low);
    uint64_t before = clock_thread_cpu(agent_tid);
    bool connected = !connect(fd, (struct sockaddr *)&address, sizeof address);
    pause_ms(500);
    uint64_t used = clock_thread_cpu(agent_tid) - before;
    setrlimit(RLIMIT_NOFILE, &old);
    tap_ok(connected && used < 250000000u, "with no descriptor left the agent waits, it does not spin (%.1f ms of CPU in 500 ms)",
           (double)used / NS_PER_MS);
    send(fd, "status\n", 7, MSG_NOSIGNAL);
    tap_ok(receive(fd, answer, sizeof answer) > 0 && starts(answer, "ok\n"), "and answers when there is one again");
    close(fd);
}

static void test_strangers(void)
{
    if (geteuid()) {
        tap_skip("strangers: only root can be somebody else");
        return;
    }
    chmod(address.sun_path, 0666);
    pid_t pid = fork();
    if (!pid) {
        if (setgid(65534) || setuid(65534))
            _exit(3);
        _exit(!strncmp(ask("status"), "ok", 2));
    }
    int status = -1;
    waitpid(pid, &status, 0);
    tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "another user gets no answer, even if the socket lets him in");
    chmod(address.sun_path, 0600);
}

/* ---- places ---- */

/* The agent's socket besides the one with the plain name; sets `address`. */
static bool find_suffixed(void)
{
    char plain[32];
    snprintf(plain, sizeof plain, ".candor-%d.", (int)getpid());
    DIR *tmp = opendir("/tmp");
    bool found = false;
    for (const struct dirent *d; tmp && !found && (d = readdir(tmp));) {
        found = starts_quietly(d->d_name, plain) && strlen(d->d_name) == strlen(plain) + 8;
        if (found)
            snprintf(address.sun_path, sizeof address.sun_path, "/tmp/%.60s", d->d_name);
    }
    if (tmp)
        closedir(tmp);
    return found;
}

static bool listens_beside(const char *what)
{
    struct error e = {""};
    struct sockaddr_un plain = address;
    bool good = !loop_open(&hooks, false, NULL, &e) && find_suffixed() && starts(ask("status"), "ok\n");
    loop_finish(false);
    good &= !is_there();
    address = plain;
    tap_ok(good && is_there(), "%s has the socket's name: another is taken, and removed again (%s)", what, e.text);
    return good;
}

/* Another process listens under our name, as in a second container with the same /tmp. */
static pid_t start_namesake(void)
{
    int pipes[2];
    char byte = 0;
    if (pipe(pipes))
        return -1;
    pid_t pid = fork();
    if (!pid) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        byte = bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, 1);
        _exit(write(pipes[1], &byte, 1) != 1 || pause());
    }
    bool ready = read(pipes[0], &byte, 1) == 1 && !byte;
    close(pipes[0]);
    close(pipes[1]);
    return ready ? pid : -1;
}

static void test_taken_names(void)
{
    struct error e = {""};
    mkdir(address.sun_path, 0755);
    listens_beside("a folder");
    rmdir(address.sun_path);
    tap_ok(!symlink("/etc/passwd", address.sun_path) && listens_beside("a link"), "and the link leads where it led");
    unlink(address.sun_path);
    pid_t namesake = start_namesake();
    listens_beside("a living process");
    kill(namesake, SIGKILL);
    waitpid(namesake, NULL, 0);
    tap_ok(is_there() && !loop_open(&hooks, false, NULL, &e) && starts(ask("status"), "ok\n"), "what a dead one has left is replaced (%s)",
           e.text);
    int second = socket_listen(&e);
    tap_ok(second == -EALREADY && strstr(e.text, "another copy of the agent") && starts(ask("status"), "ok\n"),
           "a second copy of the agent in one process is refused, and leaves the first alone (%s)", e.text);
    loop_finish(false);
    tap_ok(!is_there(), "and all is removed");
}

/* ---- recordings ---- */

static void test_storm(void)
{
    char start[128];
    int wrong = 0;
    begun = bound = ended = 0;
    for (int i = 0; i < 20; i++) {
        snprintf(start, sizeof start, "start file=%s,interval=1ms,clock=%s", file, clock_names[i % 2 ? CLOCK_AUTO : CLOCK_TIMER]);
        wrong += !starts(ask(start), "ok\n");
        wrong += !starts(ask(start), "error cannot write"); /* the same file */
        wrong += i % 3 == 0 && !starts(ask("dump"), "ok\n");
        wrong += !starts(ask("stop"), "ok\n") || strstr(answer, "error=");
    }
    tap_ok(!wrong, "twenty recordings start, are dumped and stop");
    tap_ok(begun == 20 && ended == 20 && bound == 40, "each tells Java when it begins and ends (%d %d %d)", begun, bound, ended);
    wrong += !starts(ask("start file=/nonexistent/x.jfr"), "error cannot write");
    tap_ok(!wrong && begun == 21 && ended == 21, "so does one that fails");
    wrong += !starts(ask("start file=/dev/null"), "error cannot write") || !strstr(answer, "regular");
    tap_ok(!wrong && !access("/dev/null", R_OK), "a device is no file");
    snprintf(start, sizeof start, "start file=%s,duration=100ms", file);
    wrong += !starts(ask(start), "ok\n");
    for (int i = 0; i < PATIENCE_MS / 10 && !strstr(ask("status"), "state=idle"); i++)
        pause_ms(10);
    tap_ok(!wrong && strstr(answer, "state=idle"), "a recording ends by itself when its time is over");
}

/* ---- attaching ---- */

static void test_late(void)
{
    struct collect_options o = options_for(CLOCK_AUTO);
    struct error e = {""};
    tap_ok(!loop_open(&hooks, true, &o, &e) && starts(ask("status"), "ok\n") && strstr(answer, "state=running"),
           "an agent that came late (%s)", e.text);
    uint64_t came = clock_monotonic_ns();
    int waiting = connect_agent();
    char nothing[8];
    tap_ok(starts(ask("stop"), "ok\n") && receive(waiting, nothing, sizeof nothing) == 0, "hangs up when its recording is over");
    bool in_time = clock_monotonic_ns() - came < SOCKET_PATIENCE_MS * NS_PER_MS; /* otherwise it may have lost patience before */
    tap_ok(in_time ? !is_there() : has_left(), "and then has no socket any more");
    close(waiting);
}

static _Atomic int begun_by_attach, refused, broken;

enum { ATTACH_GOAL = 15 };

/* Like a series of `candor record`: attach with a recording, and stop it if it is ours. */
static void *attach_often(void *unused)
{
    struct collect_options o = options_for(CLOCK_TIMER);
    for (int i = 0; begun_by_attach < ATTACH_GOAL && !broken; i++) {
        struct error e = {""};
        int rc = loop_open(&hooks, true, &o, &e);
        if (rc == 0) {
            begun_by_attach++;
            int fd = connect_agent();
            broken += fd < 0 || send(fd, "stop\n", 5, MSG_NOSIGNAL) != 5;
            if (i % 2 && fd >= 0)
                recv(fd, &(char){0}, 1, 0); /* or it does not wait, so that the next attach meets the end of this one */
            close(fd);
        } else if (rc == -EBUSY)
            refused++;
        else {
            broken++;
            tap_note("attach: %s", e.text);
        }
    }
    return NULL;
}

static void test_attach_storm(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, attach_often, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    if (collect_running())
        ask("stop");
    tap_ok(!broken && begun_by_attach >= ATTACH_GOAL, "three attach and stop at once: %d began, %d were refused, %d broke", begun_by_attach,
           refused, broken);
    tap_ok(has_left(), "and all leave");
}

static void *start_once(void *unused)
{
    struct collect_options o = options_for(CLOCK_TIMER);
    struct error e = {""};
    int rc = loop_open(&hooks, false, &o, &e);
    if (rc && rc != -ESHUTDOWN && rc != -EBUSY) {
        broken++;
        tap_note("start: %s", e.text);
    }
    return NULL;
}

/* The agent ends while a client starts a recording: whichever comes first, both return, and the file is whole. Every second time another
 * recording is running, which takes a while to stop. */
static void test_start_against_finish(void)
{
    int left_over = 0;
    broken = 0;
    for (int i = 0; i < 40; i++) {
        pthread_t t;
        struct error e;
        loop_open(&hooks, false, NULL, &e);
        if (i % 2)
            start_once(NULL);
        pthread_create(&t, NULL, start_once, NULL);
        if (i % 4 > 1)
            pause_ms(i % 4 * 7);
        loop_finish(false);
        pthread_join(t, NULL);
        /* The start may have come after the end, and may have opened the agent again. */
        loop_finish(false);
        left_over += is_there() || collect_running();
    }
    tap_ok(!broken && !left_over, "forty starts against an end: all come back, nothing stays");
}

static int open_allocations(uint64_t interval, struct error *e)
{
    return 0;
}

static bool set_interval(uint64_t interval)
{
    return true;
}

static int open_references(struct error *e)
{
    return 0;
}

static bool look_for_long(const uintptr_t *references, bool *is_alive, uint32_t count)
{
    pause_ms(LONG_MS);
    return true;
}

static bool forget(const uintptr_t *references, uint32_t count)
{
    return true;
}

/* If a client requests paths, the JVM waits for them at its end, too. */
static void test_long_end(void)
{
    struct collect_options o = options_for(CLOCK_AUTO);
    struct error e = {""};
    o.events = COLLECT_CPU | COLLECT_ALLOC | COLLECT_LIVE;
    o.live.paths_ns = 600 * NS_PER_S;
    alloc_events = (struct alloc_events){open_allocations, set_interval};
    live_objects = (struct live_objects){open_references, count_end, look_for_long, forget};
    tap_ok(!loop_open(&hooks, false, &o, &e), "a recording whose end takes %d s (%s)", LONG_MS / 1000, e.text);
    live_pauses_add(1, 0); /* since the agent's thread looks at it, or before it is asked to end */
    loop_finish(false);
    tap_ok(!is_there() && !collect_running(), "is waited for");
}

static void test_finish(void)
{
    struct collect_options o = options_for(CLOCK_AUTO);
    struct error e = {""};
    begun = bound = ended = 0;
    tap_ok(!loop_open(&hooks, false, &o, &e) && begun == 1, "a recording requested by the JVM's own thread (%s)", e.text);
    tap_ok(loop_open(&hooks, true, &o, &e) < 0 && strstr(e.text, "is recording to it"), "a second one to the same file is refused");
    loop_finish(true);
    tap_ok(!is_there() && !collect_running() && ended == 0, "at the JVM's end all is over, and Java is not spoken to");
    loop_finish(true);
    loop_finish(false);
    tap_ok(loop_open(&hooks, true, &o, &e) == -ESHUTDOWN && loop_open(&hooks, false, NULL, &e) == -ESHUTDOWN && !is_there(),
           "a second end is none, and nothing begins any more");
}

int main(void)
{
    address.sun_family = AF_UNIX;
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.candor-%d", (int)getpid());
    snprintf(file, sizeof file, "/tmp/candor-loop-%d.jfr", (int)getpid());
    int files = open_files(), tasks = count_tasks();
    test_taken_names();
    test_requests();
    test_silent_clients();
    test_rude_clients();
    test_passed_files();
    test_no_descriptors();
    test_strangers();
    test_storm();
    loop_finish(false);
    test_late();
    test_attach_storm();
    test_start_against_finish();
    test_long_end();
    test_finish();
    unlink(file);
    for (int i = 0; i < PATIENCE_MS && count_tasks() > tasks; i++)
        pause_ms(1);
    tap_ok(count_tasks() == tasks && open_files() == files, "no thread and no descriptor is left (%d, %d)", count_tasks() - tasks,
           open_files() - files);
    return tap_done();
}
