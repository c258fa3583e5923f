#include "agent/record/recording.h"

#include "agent/hot/layout.h"
#include "agent/hot/signal/handler.h"
#include "agent/record/jvm.h"
#include "agent/record/machine.h"
#include "agent/symbolize/kallsyms.h"
#include "base/text/units.h"
#include "base/time_units.h"
#include "jfr/write/writer_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    COPY_BYTES = 1 << 16,
    GRAIN_NS = 1000 /* resolution of times in the file: finer times are not useful, and do not compress */
};

/* Discards the file. fd: another descriptor of the same file, or -1. */
static void discard(struct recording *r, int fd)
{
    r->file.fd = fd;
    record_file_discard(&r->file);
}

static int no_memory(struct error *e)
{
    return error_set(e, -ENOMEM, "not enough memory for a recording");
}

static void forget_names(struct recording *r)
{
    if (!r->of)
        names_deinit(&r->names);
}

int recording_open_part(struct recording *r, struct recording *of, const char *path, int passed, uint64_t duration_ns,
                        const struct keep *keep, uint32_t without, struct error *e)
{
    memset(r, 0, sizeof *r);
    r->of = of;
    int rc = record_file_open(&r->file, path, passed, NULL, e);
    if (rc)
        return rc;
    if (!of && names_init(&r->names)) {
        record_file_discard(&r->file);
        close(r->file.fd);
        return no_memory(e);
    }
    r->keep = *keep;
    r->without = without;
    r->duration_ns = duration_ns;
    r->start_ticks = r->chunk_ticks = clock_monotonic_ns();
    r->start_epoch_ns = clock_realtime_ns();
    struct jfr_writer_options options = {.ticks_per_second = NS_PER_S,
                                         .grain = GRAIN_NS,
                                         .start_ticks = r->start_ticks,
                                         .start_epoch_ns = r->start_epoch_ns,
                                         .without = without,
                                         .ring = keep_is_limited(keep)};
    struct jfr_pools pools = names_pools(recording_names(r));
    int kept = fcntl(r->file.fd, F_DUPFD_CLOEXEC, 0); /* outlives the writer, which closes the other descriptor */
    rc = jfr_writer_new(&r->writer, r->file.fd, &options, &pools, e);
    if (rc) {
        forget_names(r);
        discard(r, kept);
    }
    if (kept >= 0)
        close(kept);
    return rc;
}

int recording_open(struct recording *r, const char *path, int passed, uint64_t duration_ns, const struct keep *keep, uint32_t without,
                   struct error *e)
{
    return recording_open_part(r, NULL, path, passed, duration_ns, keep, without, e);
}

int recording_open_whole(struct recording *r, struct error *e)
{
    memset(r, 0, sizeof *r);
    r->start_ticks = clock_monotonic_ns();
    if (names_init(&r->names))
        return no_memory(e);
    if (!jfr_tee_new(&r->writer))
        return 0;
    names_deinit(&r->names);
    return no_memory(e);
}

void recording_close_whole(struct recording *r)
{
    jfr_tee_free(r->writer);
    names_deinit(&r->names);
    r->writer = NULL;
}

static void write_number(struct recording *r, const char *name, uint64_t value, uint64_t now)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    jfr_write_setting(r->writer, now, name, text);
}

/* Describes what a recording samples, and how often, for us and for other tools. */
static void describe_event(struct recording *r, const char *event, const char *type, uint64_t interval_ns, uint64_t now)
{
    char period[32];
    struct jfr_writer *w = r->writer;
    units_format_duration(period, sizeof period, interval_ns);
    jfr_write_setting(w, now, "event", event);
    write_number(r, "interval_ns", interval_ns, now);
    jfr_write_active_setting(w, now, "jdk.ExecutionSample", "enabled", "true");
    jfr_write_active_setting(w, now, "jdk.ExecutionSample", "period", period);
    jfr_write_active_setting(w, now, type, "enabled", "true");
    jfr_write_active_setting(w, now, type, "period", period);
}

static void describe_counter(struct recording *r, const struct clock *c, uint64_t now)
{
    struct jfr_writer *w = r->writer;
    jfr_write_setting(w, now, "event", c->counter.name);
    write_number(r, "event_interval", c->interval_ns, now);
    jfr_write_active_setting(w, now, "jdk.ExecutionSample", "enabled", "true");
    jfr_write_active_setting(w, now, "candor.EventSample", "enabled", "true");
}

static void describe_clock(struct recording *r, const struct clock *c, uint64_t now)
{
    struct jfr_writer *w = r->writer;
    jfr_write_setting(w, now, "clock", clock_names[c->kind]);
    jfr_write_setting(w, now, "clock_reason", c->reason);
    write_number(r, "clock_resolution_ns", machine_clock_resolution_ns(c), now);
    jfr_write_setting(w, now, "kernel", c->kernel ? "included" : "excluded");
    write_number(r, "signal", (uint64_t)c->signal, now);
}

/* Describes how stacks show the time that a thread spent in the kernel. */
static void describe_kernel(struct recording *r, const struct clock *c, uint64_t now)
{
    const char *stacks = "none", *reason = "only the clock sigtrap records them";
    if (!c->kernel)
        stacks = "excluded", reason = "this process may not sample the kernel; set kernel.perf_event_paranoid to 1";
    else if (c->kernel_stacks && kallsyms_readable())
        stacks = "named", reason = "";
    else if (c->kernel_stacks)
        stacks = "unnamed", reason = "/proc/kallsyms hides its addresses; set kernel.kptr_restrict to 0, or grant CAP_SYSLOG";
    else if (c->stacks_error)
        reason = strerror(-c->stacks_error);
    jfr_write_setting(r->writer, now, "kernel_stacks", stacks);
    jfr_write_setting(r->writer, now, "kernel_stacks_reason", reason);
}

static void describe_jvm(struct recording *r, uint64_t now)
{
    const struct jvm_facts *f = &jvm_facts;
    struct jfr_jvm_information info = {.jvm_name = f->name,
                                       .jvm_version = f->version,
                                       .jvm_arguments = f->jvm_arguments,
                                       .jvm_flags = "",
                                       .java_arguments = f->java_arguments,
                                       .start_epoch_ms = f->start_epoch_ms,
                                       .pid = getpid()};
    jfr_write_jvm_information(r->writer, now, &info);
    for (int i = 0; i < f->property_count; i++)
        jfr_write_system_property(r->writer, now, f->properties[i].key, f->properties[i].value);
}

/* Describes which data was dropped, and that this was requested. */
static void describe_keep(struct recording *r, uint64_t now)
{
    if (!keep_is_limited(&r->keep))
        return;
    write_number(r, "began_ns", r->start_epoch_ns, now);
    write_number(r, "keep_ns", r->keep.ns, now);
    write_number(r, "max_bytes", r->keep.bytes, now);
    if (r->note[0])
        jfr_write_log(r->writer, now, "info", r->note);
}

/* Describes the recording itself, the machine and the JVM. Every recording has this. */
static void describe_place(struct recording *r, bool late, uint64_t now)
{
    struct machine m;
    struct jfr_writer *w = r->writer;
    machine_read(&m);
    jfr_write_active_recording(w, now, "candor", r->file.path, r->start_epoch_ns / NS_PER_MS, r->duration_ns / NS_PER_MS);
    jfr_write_setting(w, now, "version", CANDOR_VERSION);
    jfr_write_setting(w, now, "attached", late ? "late" : "at-start");
    if (m.host[0])
        jfr_write_setting(w, now, "host", m.host);
    if (r->jfr)
        jfr_write_setting(w, now, "jfr", r->jfr);
    describe_keep(r, now);
    describe_jvm(r, now);
    jfr_write_os_information(w, now, m.os);
    jfr_write_cpu_information(w, now, m.cpu, m.cpu, m.sockets, m.cores, m.hw_threads);
}

void recording_describe_clock(struct recording *r, const struct clock *clock)
{
    uint64_t now = clock_monotonic_ns();
    describe_clock(r, clock, now);
    describe_kernel(r, clock, now);
}

/* Describes how exact the frames of Java code are. */
static void describe_code(struct jfr_writer *w, uint64_t now)
{
    jfr_write_setting(w, now, "debug_info", jvm_facts.debug_info_is_late ? "sparse" : "full");
    jfr_write_setting(w, now, "walker", walker_names[handler_config.walker]);
    if (!vm_layout.usable)
        jfr_write_setting(w, now, "layout_missing", vm_layout.missing);
}

void recording_describe_without_clock(struct recording *r, uint64_t interval_ns, bool late)
{
    uint64_t now = clock_monotonic_ns();
    describe_place(r, late, now);
    write_number(r, "interval_ns", interval_ns, now);
    describe_code(r->writer, now);
}

void recording_describe(struct recording *r, const struct clock *clock, bool late)
{
    uint64_t now = clock_monotonic_ns();
    struct jfr_writer *w = r->writer;
    describe_place(r, late, now);
    if (clock_counts(clock))
        describe_counter(r, clock, now);
    else
        describe_event(r, "cpu", "candor.CpuSample", clock->interval_ns, now);
    describe_code(w, now);
    jfr_write_setting(w, now, "vm_operations", vm_layout.vm_operation ? "named" : "unknown");
    recording_describe_clock(r, clock);
}

void recording_describe_safepoint(struct recording *r, uint64_t interval_ns, bool late)
{
    uint64_t now = clock_monotonic_ns();
    describe_place(r, late, now);
    describe_event(r, "safepoint", "candor.SafepointSample", interval_ns, now);
    write_number(r, "threads_at_once", JAVA_STACKS_MAX, now);
    write_number(r, "frames_max", JAVA_STACK_FRAMES_MAX, now);
    jfr_write_setting(r->writer, now, "virtual_threads", "carriers");
}

void recording_describe_events(struct recording *r, const char *events)
{
    jfr_write_setting(r->writer, clock_monotonic_ns(), "event", events);
}

static bool keep_error(struct recording *r, int rc, const struct error *e)
{
    if (rc && !r->failed) {
        r->failed = true;
        r->error = *e;
    }
    return rc == 0;
}

void recording_note(struct recording *r, const char *text)
{
    snprintf(r->note, sizeof r->note, "%s", text);
    jfr_write_log(r->writer, clock_monotonic_ns(), "info", text);
}

bool recording_wants_flush(const struct recording *r)
{
    return keep_wants_flush(&r->keep, r->writer);
}

bool recording_wants_chunk(const struct recording *r)
{
    bool is_long = clock_monotonic_ns() - r->chunk_ticks >= keep_chunk_ns(&r->keep);
    return !r->failed && (is_long || jfr_writer_chunk_size(r->writer) >= keep_chunk_bytes(&r->keep));
}

void recording_flush_part(struct recording *r, bool rotate)
{
    struct error e;
    uint64_t now = clock_monotonic_ns();
    if (r->failed)
        return;
    if (keep_is_limited(&r->keep))
        keep_error(r, keep_make_way(&r->keep, r->writer, now, &e), &e);
    if (rotate) {
        keep_error(r, jfr_writer_rotate(r->writer, now, clock_realtime_ns(), &e), &e);
        r->chunk_ticks = now;
    } else {
        keep_error(r, jfr_writer_flush(r->writer, now, &e), &e);
    }
    if (!r->failed && keep_is_limited(&r->keep))
        keep_error(r, keep_trim(&r->keep, r->writer, now, &e), &e);
    if (!r->failed)
        keep_error(r, record_file_place(&r->file, &e), &e);
}

bool recording_flush(struct recording *r)
{
    bool rotate = recording_wants_chunk(r);
    recording_flush_part(r, rotate);
    if (rotate)
        names_new_chunk(&r->names);
    return rotate && !r->failed;
}

int recording_reopen(struct recording *r, struct error *e)
{
    struct jfr_writer_options options = {
        .ticks_per_second = NS_PER_S, .grain = GRAIN_NS, .start_ticks = clock_monotonic_ns(), .without = r->without};
    struct jfr_pools pools = names_pools(recording_names(r));
    off_t end = lseek(r->file.fd, 0, SEEK_END);
    if (end < 0)
        return error_set(e, -errno, "cannot continue %s: %s", r->file.path, strerror(errno));
    options.start_epoch_ns = clock_realtime_ns();
    options.offset = (uint64_t)end;
    return jfr_writer_new(&r->writer, r->file.fd, &options, &pools, e);
}

uint64_t recording_size(const struct recording *r)
{
    return jfr_writer_size(r->writer);
}

uint64_t recording_kept_ns(const struct recording *r)
{
    return clock_monotonic_ns() - (keep_is_limited(&r->keep) ? jfr_ring_start_ticks(r->writer) : r->start_ticks);
}

/* Copies the content from `start` on. */
static int copy_all(int from, uint64_t start, int to, uint64_t bytes)
{
    char *block = malloc(COPY_BYTES);
    int rc = block ? 0 : -ENOMEM;
    for (uint64_t at = 0; !rc && at < bytes;) {
        ssize_t n = pread(from, block, bytes - at < COPY_BYTES ? bytes - at : COPY_BYTES, (off_t)(start + at));
        if (n <= 0)
            rc = n < 0 ? -errno : -EIO;
        else if (pwrite(to, block, (size_t)n, (off_t)at) != n)
            rc = errno ? -errno : -ENOSPC;
        else
            at += (uint64_t)n;
    }
    free(block);
    return rc;
}

int recording_dump(const struct recording *r, const char *path, int passed, uint64_t *bytes, struct error *e)
{
    static struct record_file to;
    struct stat own;
    if (r->failed)
        return error_set(e, -EIO, "%s", r->error.text);
    uint64_t start = keep_is_limited(&r->keep) ? jfr_ring_start_offset(r->writer) : 0;
    *bytes = recording_size(r) - start;
    if (!*path)
        return 0;
    if (record_file_stat(r->file.fd, &own))
        return error_set(e, -errno, "cannot read %s: %s", r->file.path, strerror(errno));
    int rc = record_file_open(&to, path, passed, &own, e);
    if (rc)
        return rc;
    rc = copy_all(r->file.fd, start, to.fd, *bytes);
    if (rc)
        error_set(e, rc, "cannot write %s: %s", path, strerror(-rc));
    else
        rc = record_file_place(&to, e);
    if (rc)
        record_file_discard(&to);
    close(to.fd);
    return rc;
}

/* Gives the file its name when it is complete. A file that could not be written does not replace another. */
static void settle_file(struct recording *r, int fd, int rc)
{
    struct error e;
    if (r->refused || ((r->failed || rc) && r->file.beside[0]))
        discard(r, fd);
    else
        keep_error(r, record_file_place(&r->file, &e), &e);
}

int recording_close(struct recording *r, uint64_t *bytes, struct error *e)
{
    struct error closing;
    *bytes = recording_size(r);
    int fd = fcntl(r->file.fd, F_DUPFD_CLOEXEC, 0); /* outlives the writer, which closes the other descriptor */
    if (!r->failed && keep_is_limited(&r->keep))
        keep_error(r, keep_finish(&r->keep, r->writer, clock_monotonic_ns(), &closing), &closing);
    int rc = jfr_writer_close(r->writer, clock_monotonic_ns(), &closing);
    settle_file(r, fd, rc);
    if (fd >= 0) {
        *bytes = (uint64_t)lseek(fd, 0, SEEK_END);
        close(fd);
    }
    r->writer = NULL;
    forget_names(r);
    if (r->failed)
        return error_set(e, -EIO, "%s", r->error.text);
    return rc ? error_set(e, rc, "%s", closing.text) : 0;
}

void recording_abandon(struct recording *r)
{
    struct error ignored;
    uint64_t bytes;
    r->refused = true;
    recording_close(r, &bytes, &ignored);
}
