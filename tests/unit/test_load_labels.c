/* Fields that tracers add to a sampler's events become labels; Datadog's samples stand for several periods.
 * tier: quick
 * timeout: 20 */
#include "../tap.h"

#include "format_text.h"
#include "jfr_craft.h"
#include "profile/filter.h"
#include "profile/load/load_jfr.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 10, STRING, BOOLEAN, THREAD, STATE, ATTRIBUTE, TICKS, SAMPLE = 100, SETTING };

#define PRIMITIVES                                                                                                                         \
    {LONG, "long"}, {STRING, "java.lang.String"}, {BOOLEAN, "boolean"},                                                                    \
    {                                                                                                                                      \
        TICKS, "jdk.jfr.Timestamp", "java.lang.annotation.Annotation"                                                                      \
    }

static const struct craft_type attribute = {ATTRIBUTE, "profiler.types.AttributeValue", NULL, {{"value", STRING}}};
static const struct craft_type setting = {SETTING,
                                          "jdk.ActiveSetting",
                                          "jdk.jfr.Event",
                                          {{"startTime", LONG}, {"id", LONG}, {"name", STRING}, {"value", STRING}}};

static void put_setting(struct buffer *b, const char *name, const char *value)
{
    size_t event = craft_event(b, SETTING);
    buffer_varint(b, 0);
    buffer_varint(b, SAMPLE);
    craft_text(b, name);
    craft_text(b, value);
    craft_event_end(b, event);
}

/* startTime, weight, spanId, biased, operation, note */
static void put_sample(struct buffer *b, uint64_t weight, uint64_t span, uint64_t operation, const char *note)
{
    size_t event = craft_event(b, SAMPLE);
    buffer_varint(b, CRAFT_START_TICKS);
    buffer_varint(b, weight);
    buffer_varint(b, span);
    buffer_u8(b, 1);
    buffer_varint(b, operation);
    craft_text(b, note);
    craft_event_end(b, event);
}

static void craft(struct buffer *b, const char *type)
{
    const struct craft_type types[] = {
        PRIMITIVES,
        attribute,
        setting,
        {SAMPLE,
         type,
         "jdk.jfr.Event",
         {{"startTime", LONG},
          {"weight", LONG},
          {"spanId", LONG},
          {"biased", BOOLEAN},
          {"operation", ATTRIBUTE, .pooled = true},
          {"note", STRING}}},
    };
    size_t chunk = craft_begin(b, types, sizeof types / sizeof *types);
    put_setting(b, "interval", "10 ms");
    put_sample(b, 1, 77, 1, "x");
    put_sample(b, 3, UINT64_MAX, 2, "");
    put_sample(b, 2, 0, 0, "");
    size_t pool = craft_pool(b, ATTRIBUTE, 2);
    buffer_varint(b, 1);
    craft_text(b, "GET /cart");
    buffer_varint(b, 2);
    craft_text(b, "GET /pay");
    craft_event_end(b, pool);
    craft_end(b, chunk);
}

/* Which part of a crafted file with two chunks is accepted. */
static void says(const char *type, const char *label, const char *wanted, const char *about)
{
    char path[] = "/tmp/candor-labels-XXXXXX";
    struct buffer b;
    struct profile p;
    struct error e = {""};
    struct filter filter = {0};
    buffer_init(&b, 1 << 20);
    craft(&b, type);
    craft(&b, type);
    int fd = mkstemp(path);
    profile_init(&p);
    bool good = fd >= 0 && write(fd, b.data, b.len) == (ssize_t)b.len && !profile_load_jfr(&p, path, &e);
    if (label)
        good = good && !filter_compile_label(&filter.label, label, &e) && !filter_apply(&filter, &p);
    char *text = format_text(&p, FORMAT_LABELS);
    tap_ok(good && !strcmp(text, wanted), "%s", about);
    if (!good || strcmp(text, wanted))
        tap_note("%s\n%s", e.text, text);
    free(text);
    filter_deinit(&filter);
    profile_deinit(&p);
    buffer_deinit(&b);
    close(fd);
    unlink(path);
}

int main(void)
{
    says("datadog.ExecutionSample", NULL,
         "[no stack]; 40000000\nspanId#-1 operation=GET /pay [no stack]; 60000000\nspanId#77 operation=GET /cart note=x [no stack]; "
         "20000000\nsum 120000000 ns\n",
         "Datadog's: weights are periods, fields of the context labels, 0 and nothing are none");
    says("datadog.ExecutionSample", "operation=cart", "spanId#77 operation=GET /cart note=x [no stack]; 20000000\nsum 20000000 ns\n",
         "and choose samples");
    says("jdk.ExecutionSample", "spanId=^77$", "spanId#77 operation=GET /cart note=x [no stack]; 20000000\nsum 20000000 ns\n",
         "of a fork of async-profiler, too, each sample one period");
    return tap_done();
}
