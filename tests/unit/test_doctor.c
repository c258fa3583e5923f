/* What the doctor reads from texts and files, and what it concludes if the cause cannot be produced here.
 * tier: quick
 * timeout: 30 */
#include "../tap.h"

#include "doctor/clock/clocks.h"
#include "doctor/machine/container.h"
#include "doctor/clock/counters.h"
#include "doctor/machine/kernel.h"
#include "doctor/jvm/libjvm.h"
#include "doctor/machine/rlimits.h"
#include "doctor/machine/steal.h"
#include "doctor/jvm/target.h"
#include "attach/jvm.h"
#include "base/procfs.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct check *row(const struct checkup *f, const char *name)
{
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->rows[i].name, name))
            return &f->rows[i];
    return NULL;
}

static bool row_is(const struct checkup *f, const char *name, enum check_level level)
{
    const struct check *r = row(f, name);
    return r && r->level == level && (level <= CHECK_NOTE || *r->remedy);
}

static void test_checkup(void)
{
    struct checkup f = {.count = 0};
    for (int i = 0; i < CHECKS_MAX + 5; i++) {
        checkup_add(&f, i % 2 ? CHECK_OK : CHECK_PROBLEM, "x", "%0400d", i);
        checkup_meaning(&f, "%0400d", i);
        checkup_remedy(&f, "%0400d", i);
    }
    tap_ok(f.count == CHECKS_MAX, "too many rows are not kept");
    tap_ok(strlen(f.rows[0].found) == sizeof f.rows[0].found - 1, "long texts are cut");
    tap_ok(checkup_of(&f, CHECK_OK) + checkup_of(&f, CHECK_PROBLEM) == CHECKS_MAX, "rows are counted by level");
}

/* A busy machine is late, and loses some samples. Neither is a property of its kernel. */
static void test_busy(void)
{
    struct checkup f = {.count = 0};
    struct clocks_try t = {
        .kind = CLOCKS_SIGNAL, .with_kernel = true, .count = 32, .median_ns = 1890000, .kernel_due = 60, .kernel_count = 25};
    clocks_add_measured(&f, &t);
    clocks_add_kernel_mode(&f, &t);
    tap_ok(f.count == 2 && strstr(f.rows[0].meaning, "busy") && !strstr(f.rows[0].meaning, "tick"), "a signal each 1.89 ms: %s",
           f.rows[0].meaning);
    tap_ok(strstr(f.rows[1].remedy, "busy") && !strstr(f.rows[1].remedy, "interrupt"), "25 of 60 samples: %s", f.rows[1].remedy);
    t.kind = CLOCKS_TIMER, t.median_ns = 4000000, t.kernel_count = 0;
    clocks_add_measured(&f, &t);
    clocks_add_kernel_mode(&f, &t);
    tap_ok(strstr(f.rows[2].meaning, "tick") && strstr(f.rows[3].remedy, "interrupt"), "a timer each 4 ms, and none of 60 samples, are");
}

/* Of the kernels on x86-64 the first hundreds of symbols are per-CPU ones, and the first two of them are at address 0. */
static void test_kernel_symbols(void)
{
    static const char hidden[] = "0000000000000000 T _text\n0000000000000000 t do_one_initcall\n";
    static const char per_cpu[] = "0000000000000000 A fixed_percpu_data\n0000000000000000 A __per_cpu_start\n"
                                  "0000000000001000 A cpu_debug_store\n";
    char many[1 << 14];
    int used = snprintf(many, sizeof many, "%s", per_cpu);
    for (int i = 2; i < 200; i++)
        used += snprintf(many + used, sizeof many - (size_t)used, "%016x A per_cpu_%d\n", i * 0x1000, i);
    snprintf(many + used, sizeof many - (size_t)used, "ffffffff81000000 T _text\n");
    FILE *with = fmemopen(many, strlen(many), "r"), *without = fmemopen((void *)hidden, strlen(hidden), "r");
    tap_ok(procfs_shows_addresses(with), "a kernel's symbols that begin with hundreds of per-CPU ones have addresses");
    tap_ok(!procfs_shows_addresses(without) && !procfs_shows_addresses(NULL), "hidden ones have none");
    fclose(with);
    fclose(without);
}

static void test_texts(void)
{
    int major, minor;
    tap_ok(!kernel_parse_version("6.18.44-fc", &major, &minor) && major == 6 && minor == 18, "a kernel's version");
    tap_ok(kernel_parse_version("unknown", &major, &minor) == -EINVAL, "a text that is none");
    tap_ok(kernel_is_at_least(5, 13, 5, 13) && kernel_is_at_least(6, 1, 5, 13) && !kernel_is_at_least(5, 12, 5, 13) &&
               !kernel_is_at_least(4, 19, 5, 13),
           "versions are compared by both numbers");
    tap_ok(procfs_has_word("rw,cpu,cpuacct", ",", "cpu") && !procfs_has_word("rw,cpuacct", ",", "cpu") && !procfs_has_word("", ",", "cpu"),
           "a word of a list is a whole one");
    tap_ok(!strncmp(procfs_field("A:\t1\nAB:\t2\n", "AB"), "\t2", 2) && !procfs_field("A:1\n", "B"), "a field by its whole name");
    tap_ok(jvm_feature("17.0.19") == 17 && jvm_feature("1.8.0_392") == 8 && jvm_feature("25-ea") == 25 && !jvm_feature("") &&
               !jvm_feature("x"),
           "a JDK's release number");
}

static void test_identity(void)
{
    struct identity who = {.initial_users = true};
    tap_ok(!identity_parse("Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nTracerPid:\t77\nThreads:\t9\nSigQ:\t3/100\n"
                           "SigCgt:\t0000000004000000\nCapEff:\t0000004000000000\nSeccomp:\t2\nSeccomp_filters:\t1\n",
                           &who),
           "a status is read");
    tap_ok(who.uid == 2 && who.real_uid == 1 && who.gid == 6 && who.tracer == 77 && who.threads == 9 && who.queued_signals == 3 &&
               who.seccomp == 2,
           "its fields");
    tap_ok(who.caught >> 26 & 1 && identity_has_perfmon(&who), "SIGPROF (27) is caught; CAP_PERFMON (38) is there");
    who.initial_users = false;
    tap_ok(!identity_has_perfmon(&who), "which counts for nothing in a user namespace");
    who = (struct identity){.initial_users = true, .capabilities = 1ull << 21};
    tap_ok(identity_has_perfmon(&who), "CAP_SYS_ADMIN (21) is as good");
    tap_ok(identity_parse("", &who) == -EINVAL && identity_parse("Uid:\t1\nGid:\t1\t1\n", &who) == -EINVAL, "a broken status is refused");
    tap_ok(!identity_parse("Uid:\t0\t0\nGid:\t0\t0\n", &who) && who.queued_signals == -1, "what is missing is unknown");
}

static void write_seven(void *result)
{
    *(int *)result = 7;
}

static void die(void *result)
{
    (void)result;
    abort();
}

static void test_try(void)
{
    struct identity own;
    int value = 0;
    tap_ok(!identity_read(0, &own) && identity_can_become(&own), "our own identity");
    tap_ok(identity_try(&own, write_seven, &value, sizeof value) == 0 && value == 7, "a child brings its result");
    tap_ok(identity_try(&own, die, &value, sizeof value) > 0 && value == 7, "one that dies harms nobody");
}

static const char some_limits[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
                                  "Max open files            1024                 524288               files     \n"
                                  "Max locked memory         65536                unlimited            bytes     \n"
                                  "Max pending signals       unlimited            unlimited            signals   \n";

static void test_limits(void)
{
    struct rlimits l;
    tap_ok(!rlimits_parse(some_limits, &l) && l.files == 1024 && l.files_hard == 524288 && l.locked_bytes == 65536 &&
               l.signals == RLIMITS_UNLIMITED,
           "limits are read");
    tap_ok(rlimits_parse("Max open files  x y", &l) == -EINVAL && rlimits_parse("", &l) == -EINVAL, "or refused");
    const struct {
        struct rlimits l;
        int threads, files;
        long queued;
        enum check_level files_level, signals_level;
    } cases[] = {
        {{1024, 4096, 1000, 0}, 100, 100, 10, CHECK_OK, CHECK_OK},
        {{1024, 4096, 1000, 0}, 669, 100, 10, CHECK_WARNING, CHECK_OK},
        {{1024, 4096, 1000, 0}, 668, 100, 10, CHECK_OK, CHECK_OK},
        {{1024, 4096, 1000, 0}, 300, 400, 701, CHECK_OK, CHECK_NOTE},
        {{256, 4096, 5000, 0}, -1, 0, 0, CHECK_OK, CHECK_OK},
        {{256, 512, 100, 0}, -1, 0, 0, CHECK_WARNING, CHECK_NOTE},
        {{RLIMITS_UNLIMITED, RLIMITS_UNLIMITED, RLIMITS_UNLIMITED, 0}, 90000, 90000, 90000, CHECK_OK, CHECK_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct checkup f = {.count = 0};
        rlimits_judge(&f, &cases[i].l, cases[i].threads, cases[i].files, cases[i].queued);
        tap_ok(row_is(&f, "open files", cases[i].files_level) && row_is(&f, "pending signals", cases[i].signals_level),
               "limits %zu are judged", i);
    }
}

static void test_container(void)
{
    static const char mounts[] = "22 27 0:21 / /proc rw - proc proc rw\n"
                                 "30 23 0:26 /a/b /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
                                 "31 23 0:27 / /sys/fs/cpuset rw - cgroup cgroup rw,cpuset\n"
                                 "32 23 0:28 / /sys/fs/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";
    static const char paths[] = "4:cpuset:/x\n2:cpu,cpuacct:/y/z\n0::/a/b/c\n";
    char point[64], root[64], path[64];
    tap_ok(!container_parse_mount(mounts, NULL, point, sizeof point, root, sizeof root) && !strcmp(point, "/sys/fs/cgroup") &&
               !strcmp(root, "/a/b"),
           "the unified hierarchy's mount");
    tap_ok(!container_parse_mount(mounts, "cpu", point, sizeof point, root, sizeof root) && !strcmp(point, "/sys/fs/cpu"),
           "a controller's mount");
    tap_ok(container_parse_mount(mounts, "memory", point, sizeof point, root, sizeof root) == -ENOENT &&
               container_parse_mount("", NULL, point, sizeof point, root, sizeof root) == -ENOENT,
           "one that is not there");
    struct container_throttling t = {0};
    tap_ok(container_parse_throttling("usage_usec 9\nnr_periods 1200\nnr_throttled 34\nthrottled_usec 5\n", &t) && t.periods == 1200 &&
               t.stopped == 34,
           "periods of a quota, and those that it ended");
    tap_ok(container_parse_throttling("nr_periods 7\nnr_throttled 0\nthrottled_time 0\n", &t) && t.periods == 7 && !t.stopped,
           "the same in version 1");
    tap_ok(!container_parse_throttling("usage_usec 9\nuser_usec 5\n", &t) &&
               !container_parse_throttling("nr_periods x\nnr_throttled 1", &t),
           "a cgroup without a quota");
    tap_ok(!container_parse_path(paths, NULL, path, sizeof path) && !strcmp(path, "/a/b/c"), "the unified path");
    tap_ok(!container_parse_path(paths, "cpu", path, sizeof path) && !strcmp(path, "/y/z"), "a controller's path");
    tap_ok(container_parse_path(paths, "memory", path, sizeof path) == -ENOENT, "none");
    tap_ok(container_parse_hidden("22 27 0:21 / /proc rw - proc proc rw,hidepid=invisible\n") &&
               container_parse_hidden("22 27 0:21 / /proc rw - proc proc rw,gid=4,hidepid=2\n"),
           "a /proc that hides");
    tap_ok(!container_parse_hidden(mounts) && !container_parse_hidden("22 27 0:21 / /x rw - proc proc rw,hidepid=2\n") &&
               !container_parse_hidden("1 1 0:1 / /proc rw - proc proc rw,hidepid=2\n1 1 0:1 / /proc rw - proc proc rw,hidepid=0\n"),
           "one that does not, another one, one that lies under it");
    tap_ok(container_parse_quota("150000 100000\n") == 1.5 && container_parse_quota("max 100000\n") == 0 &&
               container_parse_quota("-1 100000") == 0 && container_parse_quota("") == 0 && container_parse_quota("1 0") == 0,
           "quotas");
}

static void test_steal(void)
{
    struct steal s, later;
    struct checkup f = {.count = 0}, g = {.count = 0};
    tap_ok(!steal_parse("cpu  10 20 30 40 0 0 0 100 5 5\ncpu0 1\n", &s) && s.stolen == 100 && s.all == 200,
           "stolen time; guest time is user time");
    tap_ok(steal_parse("cpu 1 2 3\n", &s) == -EINVAL && steal_parse("", &s) == -EINVAL, "a kernel that does not tell");
    s = (struct steal){100, 200};
    later = (struct steal){101, 300};
    steal_judge(&f, &s, &later);
    tap_ok(row_is(&f, "stolen time", CHECK_OK), "1 %% while measuring is fine, whatever was before");
    later = (struct steal){110, 300};
    steal_judge(&g, &s, &later);
    tap_ok(row_is(&g, "stolen time", CHECK_WARNING), "10 %% is not");
}

static void test_paranoid(void)
{
    static const struct {
        int paranoid;
        bool perfmon;
        enum check_level level;
    } cases[] = {{-1, false, CHECK_OK},     {1, false, CHECK_OK}, {2, false, CHECK_WARNING},     {2, true, CHECK_OK},
                 {4, false, CHECK_WARNING}, {4, true, CHECK_OK},  {INT_MAX, true, CHECK_WARNING}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct checkup f = {.count = 0};
        kernel_judge_paranoid(&f, cases[i].paranoid, cases[i].perfmon);
        tap_ok(row_is(&f, "perf_event_paranoid", cases[i].level), "paranoid %d, %s", cases[i].paranoid,
               cases[i].perfmon ? "with CAP_PERFMON" : "an ordinary user");
    }
}

static void test_refusals(void)
{
    static const struct clocks_facts plain = {6, 1, 2, false, false}, filtered = {6, 1, 2, false, true}, old = {5, 4, 2, false, false},
                                     lossy = {5, 15, 2, false, true}, debian = {6, 1, 3, false, false}, capable = {6, 1, 3, true, false};
    static const struct {
        struct clocks_try t;
        const struct clocks_facts *facts;
        enum clocks_refusal refusal;
    } cases[] = {
        {{.kind = CLOCKS_SIGTRAP, .error = EPERM, .nonsense_error = EPERM}, &filtered, CLOCKS_BY_FILTER},
        {{.kind = CLOCKS_SIGNAL, .error = ENOSYS, .nonsense_error = ENOSYS}, &filtered, CLOCKS_BY_FILTER},
        {{.kind = CLOCKS_SIGTRAP, .error = EINTR, .killed = true, .nonsense_error = -1}, &filtered, CLOCKS_BY_FILTER},
        {{.kind = CLOCKS_TIMER, .error = EPERM}, &filtered, CLOCKS_BY_FILTER},
        {{.kind = CLOCKS_SIGTRAP, .error = EACCES, .nonsense_error = EINVAL}, &filtered, CLOCKS_BY_MODULE},
        {{.kind = CLOCKS_SIGNAL, .error = ENOSYS, .nonsense_error = ENOSYS}, &plain, CLOCKS_NO_PERF},
        {{.kind = CLOCKS_SIGTRAP, .error = EINVAL, .nonsense_error = EINVAL}, &old, CLOCKS_BY_AGE},
        {{.kind = CLOCKS_SIGTRAP, .error = E2BIG, .nonsense_error = EINVAL}, &old, CLOCKS_BY_AGE},
        {{.kind = CLOCKS_SIGTRAP, .error = EOPNOTSUPP, .nonsense_error = EINVAL}, &lossy, CLOCKS_BY_AGE},
        {{.kind = CLOCKS_SIGTRAP, .error = EINVAL, .nonsense_error = EINVAL}, &plain, CLOCKS_BY_MODULE},
        {{.kind = CLOCKS_SIGNAL, .error = EACCES, .nonsense_error = EINVAL}, &debian, CLOCKS_BY_PARANOID},
        {{.kind = CLOCKS_SIGNAL, .error = EACCES, .nonsense_error = EINVAL}, &capable, CLOCKS_BY_MODULE},
        {{.kind = CLOCKS_SIGTRAP, .error = EMFILE, .nonsense_error = EINVAL}, &plain, CLOCKS_NO_ROOM},
        {{.kind = CLOCKS_TIMER, .error = EAGAIN}, &filtered, CLOCKS_NO_ROOM},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(clocks_judge(&cases[i].t, cases[i].facts) == cases[i].refusal, "refusal %zu is traced to who it was", i);
}

static void test_counters(void)
{
    static const struct {
        int errors[COUNTERS];
        enum check_level level;
        const char *found, *meaning, *remedy;
    } cases[] = {
        {{0}, CHECK_OK, "cycles, instructions, cache-misses, branch-misses, page-faults, context-switches", "these", ""},
        {{ENOENT, ENOENT, ENOENT, ENOENT, 0, 0}, CHECK_NOTE, "page-faults, context-switches; not cycles", "virtual machine", ""},
        {{0, 0, 0, 0, 0, EACCES},
         CHECK_NOTE,
         "page-faults; not context-switches",
         "permission to sample the kernel",
         "perf_event_paranoid=1"},
        {{EACCES, EACCES, EACCES, EACCES, EACCES, EACCES}, CHECK_NOTE, "none", "cannot use events", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct checkup f = {.count = 0};
        counters_judge(&f, cases[i].errors);
        tap_ok(f.count == 1 && row_is(&f, "counters", cases[i].level) && strstr(f.rows[0].found, cases[i].found) &&
                   strstr(f.rows[0].meaning, cases[i].meaning) && strstr(f.rows[0].remedy, cases[i].remedy),
               "counters: %s", f.rows[0].found);
    }
}

/* An ELF file with these sections. Their names are numbers of: "", .gnu_debuglink, .shstrtab. */
static size_t make_elf(unsigned char *at, bool symbols, bool link, bool tables)
{
    static const char section_names[] = "\0.gnu_debuglink\0.shstrtab", dynamic_names[] = "\0JNI_OnLoad\0gHotSpotVMStructs";
    static const char others[] = "\0JNI_OnLoad\0gHotSpotVMTypes";
    Elf64_Ehdr *head = (Elf64_Ehdr *)at;
    Elf64_Shdr *s = (Elf64_Shdr *)(at + sizeof *head);
    size_t strings = sizeof *head + 5 * sizeof *s, dynamic = strings + sizeof section_names;
    *head = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                         .e_shentsize = sizeof *s,
                         .e_shnum = 5,
                         .e_shoff = sizeof *head,
                         .e_shstrndx = 1};
    s[0] = (Elf64_Shdr){0};
    s[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = strings, .sh_size = sizeof section_names, .sh_name = 16};
    s[2] = (Elf64_Shdr){.sh_type = symbols ? SHT_SYMTAB : SHT_PROGBITS, .sh_name = link ? 1 : 0};
    s[3] = (Elf64_Shdr){.sh_type = SHT_DYNSYM, .sh_link = 4};
    s[4] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = dynamic, .sh_size = tables ? sizeof dynamic_names : sizeof others};
    memcpy(at + strings, section_names, sizeof section_names);
    memcpy(at + dynamic, tables ? dynamic_names : others, s[4].sh_size);
    return dynamic + s[4].sh_size;
}

static int read_bytes(const unsigned char *bytes, size_t size, struct libjvm *out)
{
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    int code = libjvm_read(fd, out);
    close(fd);
    return code;
}

static void test_libjvm(void)
{
    _Alignas(8) unsigned char bytes[1024];
    struct libjvm l;
    size_t n = make_elf(bytes, true, false, true);
    tap_ok(!read_bytes(bytes, n, &l) && l.symbols && !l.debug_link && l.tables, "symbols and tables");
    n = make_elf(bytes, false, true, false);
    tap_ok(!read_bytes(bytes, n, &l) && !l.symbols && l.debug_link && !l.tables, "a debug link alone");
    tap_ok(read_bytes((const unsigned char *)"text", 4, &l) == -ENOEXEC, "a text is refused");
    unsigned seed = 1;
    int survived = 0;
    for (int i = 0; i < 5000; i++) {
        n = make_elf(bytes, true, true, true);
        for (int k = 0; k < 3; k++)
            bytes[(size_t)rand_r(&seed) % n] = (unsigned char)rand_r(&seed);
        read_bytes(bytes, (size_t)rand_r(&seed) % (n + 1), &l);
        survived++;
    }
    tap_ok(survived == 5000, "cut and spoilt files harm nobody");
}

int main(void)
{
    test_checkup();
    test_texts();
    test_kernel_symbols();
    test_busy();
    test_identity();
    test_try();
    test_limits();
    test_container();
    test_steal();
    test_paranoid();
    test_refusals();
    test_counters();
    test_libjvm();
    return tap_done();
}
