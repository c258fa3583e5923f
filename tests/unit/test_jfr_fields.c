/* The values of each event match the fields of the schema: none is missing, none is superfluous, each is in its place. For this test the
 * writer is compiled with CANDOR_CHECK_FIELDS (src/jfr/write/writer_events.c).
 * tier: quick
 * timeout: 20 */
#include "jfr_sample.h"

#include "../tap.h"
#include "jfr/schema_table.h"

#include <string.h>
#include <sys/mman.h>

void jfr_fields_checked(const struct schema_type *type, const char *wrong, const char *given);

static struct {
    unsigned times, wrong;
} written[SCHEMA_END - SCHEMA_FIRST];

void jfr_fields_checked(const struct schema_type *type, const char *wrong, const char *given)
{
    unsigned i = (unsigned)(type - schema_types);
    written[i].times++;
    written[i].wrong += wrong != NULL;
    if (wrong)
        tap_note("%s: field \"%s\", and the value in its place is for \"%s\"", type->name, wrong, given ? given : "");
}

static void write_samples(struct jfr_writer *w)
{
    jfr_write_execution_sample(w, 1, 0, 0, JFR_STATE_JAVA);
    jfr_write_cpu_sample(w, &(struct jfr_cpu_sample){0});
    jfr_write_event_sample(w, &(struct jfr_cpu_sample){0});
    jfr_write_safepoint_sample(w, &(struct jfr_safepoint_sample){0});
    jfr_write_wall_sample(w, &(struct jfr_wall_sample){0});
    jfr_write_allocation_sample(w, &(struct jfr_allocation_sample){0});
    jfr_write_old_object(w, &(struct jfr_old_object){0});
    jfr_write_object_end(w, &(struct jfr_old_object){0});
    jfr_write_live_set(w, &(struct jfr_live_set){0});
    jfr_write_monitor_enter(w, &(struct jfr_lock_wait){0});
    jfr_write_thread_park(w, &(struct jfr_lock_wait){0});
    jfr_write_lock_holder(w, &(struct jfr_lock_holder){0});
    jfr_write_garbage_collection(w, &(struct jfr_garbage_collection){0});
    jfr_write_safepoint_count(w, &(struct jfr_safepoint_count){0});
    jfr_write_class_statistics(w, &(struct jfr_class_statistics){0});
    jfr_write_thread_statistics(w, &(struct jfr_thread_statistics){0});
    jfr_write_code_sample(w, &(struct jfr_code_sample){0});
    jfr_write_code_snapshot(w, &(struct jfr_code_snapshot){0});
    jfr_write_code_place(w, 1, 0, 0, 0, 0);
    jfr_write_code_name(w, 1, "", 0, 0);
}

static void write_facts(struct jfr_writer *w)
{
    jfr_write_book_line(w, 1, "", "", 0, 0);
    jfr_write_book_base(w, 1, "", "", 0, 0);
    jfr_write_thread_cpu(w, 1, 0, 0, 0);
    jfr_write_thread_base(w, 1, 0, 0, 0);
    jfr_write_setting(w, 1, "", "");
    jfr_write_log(w, 1, "", "");
    jfr_write_active_recording(w, 1, "", "", 0, 0);
    jfr_write_active_setting(w, 1, "", "", "");
    jfr_write_jvm_information(w, 1, &(struct jfr_jvm_information){0});
    jfr_write_os_information(w, 1, "");
    jfr_write_cpu_information(w, 1, "", "", 0, 0, 0);
    jfr_write_system_property(w, 1, "", "");
}

int main(void)
{
    struct jfr_writer_options options = {.ticks_per_second = SAMPLE_TICKS_PER_SECOND};
    struct jfr_pools pools = sample_pools();
    struct error e = {""};
    struct jfr_writer *w;
    if (!tap_ok(!jfr_writer_new(&w, memfd_create("fields", MFD_CLOEXEC), &options, &pools, &e), "a writer %s", e.text))
        return tap_done();
    write_samples(w);
    write_facts(w);
    for (unsigned i = 0; i < SCHEMA_END - SCHEMA_FIRST; i++) {
        const struct schema_type *type = &schema_types[i];
        bool is_event = type->super && !strcmp(type->super, "jdk.jfr.Event");
        if (is_event || written[i].times)
            tap_ok(is_event && written[i].times == 1 && !written[i].wrong, "%s has a value for each field", type->name);
    }
    tap_ok(!jfr_writer_close(w, 2, &e), "the writer closes %s", e.text);
    return tap_done();
}
