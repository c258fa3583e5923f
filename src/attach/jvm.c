/* Finds the JVMs of this host, and what can be known about a JVM without attaching to it. */
#include "attach/jvm.h"
#include "attach/hsperf.h"
#include "base/text/number.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMMAND_MAX = 256 << 10, HSPERF_MAX = 1 << 20, CANDIDATES_SHOWN = 6 };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(word, *list))
            return true;
    return false;
}

long jvm_parse_command(const char *cmdline, size_t len, size_t *options_end)
{
    static const char *const with_value[] = {"-cp",
                                             "-classpath",
                                             "--class-path",
                                             "-p",
                                             "--module-path",
                                             "--upgrade-module-path",
                                             "--add-modules",
                                             "--limit-modules",
                                             "--add-reads",
                                             "--add-exports",
                                             "--add-opens",
                                             "--patch-module",
                                             "--enable-native-access",
                                             "--source",
                                             NULL};
    static const char *const before_main[] = {"-jar", "-m", "--module", NULL};
    *options_end = len;
    if (!len || cmdline[len - 1])
        return -1;
    for (size_t at = strlen(cmdline) + 1; at < len; at += strlen(cmdline + at) + 1) {
        const char *word = cmdline + at;
        if (is_one_of(word, with_value)) {
            at += strlen(word) + 1;
            if (at >= len)
                return -1;
        } else if (is_one_of(word, before_main) || (*word != '-' && *word != '@')) {
            *options_end = at;
            if (*word == '-')
                at += strlen(word) + 1;
            return at < len ? (long)at : -1;
        }
    }
    return -1;
}

void jvm_parse_flag(const char *arguments, size_t len, const char *name, bool *on)
{
    size_t n = strlen(name);
    for (size_t at = 0; at < len;) {
        size_t word = at;
        while (at < len && arguments[at] && !isspace((unsigned char)arguments[at]))
            at++;
        if (at - word == n + 5 && !memcmp(arguments + word, "-XX:", 4) && !memcmp(arguments + word + 5, name, n)) {
            char sign = arguments[word + 4];
            *on = sign == '+' || (sign == '-' ? false : *on);
        }
        at++;
    }
}

static char *keep_plain(const char *name, size_t n, char *out, size_t size)
{
    size_t o = 0;
    for (size_t i = 0; i < n && o + 1 < size; i++)
        if (isalnum((unsigned char)name[i]) || (strchr("._-", name[i]) && o))
            out[o++] = name[i];
    out[o] = 0;
    return out;
}

char *jvm_short_name(const char *main, char *out, size_t size)
{
    const char *name = base_name(main);
    size_t n = strlen(name);
    if (n > 4 && !strcmp(name + n - 4, ".jar")) {
        n -= 4;
    } else {
        const char *dot = strrchr(name, '.');
        name = dot && dot[1] ? dot + 1 : name;
        n = strlen(name);
    }
    return keep_plain(name, n, out, size);
}

char *jvm_brief_name(const struct jvm *jvm, char *out, size_t size)
{
    return jvm->embedded ? keep_plain(jvm->main, strlen(jvm->main), out, size) : jvm_short_name(jvm->main, out, size);
}

int jvm_read_hsperf(const struct process *p, const char *path, struct hsperf *h)
{
    int fd = *path ? process_open_file(p, path) : -ENOENT;
    if (fd < 0)
        return fd;
    struct stat st;
    int code = -EINVAL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == p->uid && st.st_size <= HSPERF_MAX) {
        /* The file is read, not mapped: if it were shortened while it is mapped, the signal would kill this process. */
        uint8_t *data = malloc((size_t)st.st_size + 1);
        ssize_t n = data ? pread(fd, data, (size_t)st.st_size, 0) : -1;
        code = n < 0 ? -EIO : hsperf_parse(data, (size_t)n, h);
        free(data);
    }
    close(fd);
    return code;
}

/* Looks for the file `release` in JAVA_HOME, which is three to five folders above libjvm.so. */
ssize_t jvm_read_release(const struct process *p, const char *libjvm, char *text, size_t size)
{
    char path[PATH_MAX + 16];
    snprintf(path, PATH_MAX, "%s", libjvm);
    for (int up = 0; up < 5; up++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        memcpy(slash, "/release", sizeof "/release");
        int fd = process_open_file(p, path);
        ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
        if (fd >= 0)
            close(fd);
        *slash = 0;
        text[n > 0 ? n : 0] = 0;
        if (strstr(text, "JAVA_VERSION="))
            return n;
    }
    *text = 0;
    return -ENOENT;
}

void jvm_read_version(const struct process *p, const char *path, char *version, size_t size)
{
    static const char key[] = "JAVA_VERSION=\"";
    char text[JVM_RELEASE_MAX];
    const char *found = jvm_read_release(p, path, text, sizeof text) < 0 ? NULL : strstr(text, key);
    if (found)
        snprintf(version, size, "%.*s", (int)strcspn(found + sizeof key - 1, "\"\n"), found + sizeof key - 1);
}

enum { FEATURE_MAX = 999 };

int jvm_feature(const char *version)
{
    uint64_t feature;
    if (number_take(&version, 10, 0, FEATURE_MAX, &feature))
        return 0;
    if (feature == 1 && *version == '.' && (version++, number_take(&version, 10, 0, FEATURE_MAX, &feature)))
        return 0;
    return (int)feature;
}

/* `java Shop.java` runs a launcher, which compiles the file that is its first argument: that file is the program, without ".java". */
static void name_by_source(char *main, size_t size, const char *command)
{
    static const char launcher[] = "jdk.compiler/com.sun.tools.javac.launcher.", suffix[] = ".java";
    if (!strncmp(command, launcher, sizeof launcher - 1)) {
        const char *file = command + strcspn(command, " ");
        file += strspn(file, " ");
        if (*file)
            snprintf(main, size, "%.*s", (int)strcspn(file, " "), file);
    }
    size_t n = strlen(main);
    if (n >= sizeof suffix && !strcmp(main + n - (sizeof suffix - 1), suffix))
        main[n - (sizeof suffix - 1)] = 0;
}

/* Chooses the main class. The JVM's command line names it exactly. The performance data also includes argument files, but joins words by
 * blanks. So the command line's name is used if the performance data agree with it. */
static void choose_main(struct jvm *jvm, const char *cmdline, long at, const char *command)
{
    const char *main = at >= 0 ? cmdline + at : "";
    size_t n = strlen(main);
    if (*command && !(n && !strncmp(command, main, n) && (!command[n] || command[n] == ' ')))
        snprintf(jvm->main, sizeof jvm->main, "%.*s", (int)strcspn(command, " "), command);
    else
        snprintf(jvm->main, sizeof jvm->main, "%s", main);
    name_by_source(jvm->main, sizeof jvm->main, command);
}

static void read_flags(struct jvm *jvm, const char *text, size_t len)
{
    bool allowed = !jvm->loading_refused;
    jvm_parse_flag(text, len, "DisableAttachMechanism", &jvm->attach_disabled);
    jvm_parse_flag(text, len, "EnableDynamicAgentLoading", &allowed);
    jvm->loading_refused = !allowed;
}

static void read_environment(struct jvm *jvm, const char *variable, char *space, size_t size)
{
    size_t n = strlen(variable);
    ssize_t len = process_read_file(jvm->process.pid, "environ", space, size);
    for (ssize_t at = 0; at < len; at += (ssize_t)strlen(space + at) + 1)
        if (!strncmp(space + at, variable, n) && space[at + (ssize_t)n] == '=')
            read_flags(jvm, space + at + n + 1, strlen(space + at + n + 1));
}

static bool looks_like_java(const char *cmdline, size_t len)
{
    return len && !strcmp(base_name(cmdline), "java");
}

/* Reads the options in the order in which the JVM itself reads them, because the last setting of a flag counts. */
static int describe(struct jvm *jvm, const struct process_maps *maps, char *space, size_t size)
{
    struct hsperf perf = {0};
    if (!jvm->closed) {
        jvm_read_hsperf(&jvm->process, maps->hsperf, &perf);
        read_environment(jvm, "JAVA_TOOL_OPTIONS", space, size);
        read_environment(jvm, "JDK_JAVA_OPTIONS", space, size);
        read_flags(jvm, perf.arguments, strlen(perf.arguments));
    }
    ssize_t len = process_read_file(jvm->process.pid, "cmdline", space, size);
    if (jvm->closed && (len <= 0 || !looks_like_java(space, (size_t)len)))
        return -ENOEXEC;
    size_t options_end = 0;
    long at = len > 0 ? jvm_parse_command(space, (size_t)len, &options_end) : -1;
    read_flags(jvm, space, options_end);
    jvm->embedded = len > 0 && !looks_like_java(space, (size_t)len) && !*perf.command;
    if (jvm->embedded)
        snprintf(jvm->main, sizeof jvm->main, "%s", base_name(space));
    else
        choose_main(jvm, space, at, perf.command);
    if (!jvm->closed)
        read_environment(jvm, "_JAVA_OPTIONS", space, size);
    snprintf(jvm->version, sizeof jvm->version, "%s", perf.version);
    if (!*jvm->version)
        jvm_read_version(&jvm->process, maps->libjvm, jvm->version, sizeof jvm->version);
    return 0;
}

int jvm_read(pid_t pid, struct jvm *jvm, struct error *e)
{
    struct process_maps maps;
    *jvm = (struct jvm){0};
    int code = process_read(pid, &jvm->process, e);
    if (code)
        return code;
    process_user_name(jvm->process.uid, jvm->user, sizeof jvm->user);
    code = process_read_maps(pid, &maps);
    if (code == -ESRCH)
        return error_set(e, code, "process %d has exited", pid);
    jvm->closed = code != 0;
    jvm->agent = maps.agent;
    code = -ENOEXEC;
    if (jvm->closed || *maps.libjvm) {
        char *space = malloc(COMMAND_MAX);
        if (!space)
            return error_set(e, -ENOMEM, "out of memory");
        code = describe(jvm, &maps, space, COMMAND_MAX);
        free(space);
    }
    if (code)
        return error_set(e, code, "process %d is not a JVM; 'candor list' shows the JVMs", pid);
    return 0;
}

static int by_pid(const void *a, const void *b)
{
    pid_t x = ((const struct jvm *)a)->process.pid, y = ((const struct jvm *)b)->process.pid;
    return (x > y) - (x < y);
}

int jvm_list(struct jvm **list, size_t *count, struct error *e)
{
    DIR *proc = opendir("/proc");
    *list = NULL;
    *count = 0;
    if (!proc)
        return error_set(e, -EIO, "cannot read /proc: %s; mount it", strerror(errno));
    struct dirent *entry;
    while ((entry = readdir(proc))) {
        struct jvm jvm, *grown;
        if (!isdigit((unsigned char)entry->d_name[0]) || jvm_read((pid_t)number_or_zero(entry->d_name), &jvm, NULL))
            continue;
        grown = realloc(*list, (*count + 1) * sizeof **list);
        if (!grown) {
            free(*list);
            *list = NULL;
            *count = 0;
            closedir(proc);
            return error_set(e, -ENOMEM, "out of memory");
        }
        *list = grown;
        grown[(*count)++] = jvm;
    }
    closedir(proc);
    if (*count)
        qsort(*list, *count, sizeof **list, by_pid);
    return 0;
}

static bool is_exact(const struct jvm *jvm, const char *name)
{
    char brief[256];
    return !strcmp(jvm->main, name) || !strcmp(base_name(jvm->main), name) || !strcmp(jvm_brief_name(jvm, brief, sizeof brief), name);
}

static int ambiguous(const struct jvm *list, size_t count, const char *name, struct error *e)
{
    char text[300] = "";
    size_t at = 0, shown = 0;
    for (size_t i = 0; i < count && at < sizeof text - 1; i++)
        if (strstr(list[i].main, name) && shown++ < CANDIDATES_SHOWN)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%d %.60s", at ? ", " : "", list[i].process.pid, list[i].main);
    return error_set(e, -EEXIST, "several JVMs match '%.60s': %s%s; give the PID", name, text, shown > CANDIDATES_SHOWN ? ", ..." : "");
}

static int resolve_name(const struct jvm *list, size_t count, const char *name, pid_t *pid, struct error *e)
{
    size_t parts = 0, exacts = 0;
    pid_t part = 0, exact = 0;
    for (size_t i = 0; i < count; i++) {
        if (!*name || !strstr(list[i].main, name))
            continue;
        parts++;
        part = list[i].process.pid;
        if (is_exact(&list[i], name)) {
            exacts++;
            exact = part;
        }
    }
    if (!parts)
        return error_set(e, -ESRCH, "no JVM has '%.60s' in the name of its main class or jar; 'candor list' shows them", name);
    if (parts > 1 && exacts != 1)
        return ambiguous(list, count, name, e);
    *pid = exacts == 1 ? exact : part;
    return 0;
}

int jvm_resolve(const char *target, pid_t *pid, struct error *e)
{
    if (*target && target[strspn(target, "0123456789")] == 0) {
        struct process p;
        uint64_t number;
        if (number_parse(target, 1, 1 << 22, &number)) /* the kernel's limit for a PID */
            return error_set(e, -ESRCH, "no process %.40s; 'candor list' shows the JVMs", target);
        *pid = (pid_t)number;
        return process_read(*pid, &p, e);
    }
    struct jvm *list;
    size_t count;
    int code = jvm_list(&list, &count, e);
    if (code)
        return code;
    code = resolve_name(list, count, target, pid, e);
    free(list);
    return code;
}
