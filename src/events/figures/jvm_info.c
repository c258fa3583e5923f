#include "events/figures/jvm_info.h"

#include "base/text/number.h"
#include "base/time_units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURE_MOST = 1000, START_MS_BITS = 43 };

static struct jfr_value field(struct jfr_event *event, const char *name)
{
    return jfr_event_value(event, jfr_type_field(event->type, name));
}

uint32_t jvm_info_feature(const char *version)
{
    const char *jre = strstr(version, "JRE (");
    uint64_t feature;
    version = jre ? jre + 5 : version;
    const char *rest = version;
    if (number_take(&rest, 10, 0, FEATURE_MOST, &feature))
        return 0;
    bool is_old = feature == 25 && !strchr(version, '+') && strstr(version, "-b"); /* up to JDK 8, the JVM had its own version numbers */
    if (is_old)
        return 8;
    if (feature == 1 && *rest == '.' && (rest++, number_take(&rest, 10, 0, FEATURE_MOST, &feature)))
        return 0;
    return (uint32_t)feature;
}

static char *copy(struct jfr_event *event, const char *name)
{
    struct jfr_text text = jfr_value_text(field(event, name));
    char *to = malloc(text.len + 1);
    if (to) {
        memcpy(to, text.bytes, text.len);
        to[text.len] = 0;
    }
    return to;
}

static int take(struct jvm_info *info, struct jfr_event *event)
{
    char *version = copy(event, "jvmVersion");
    int64_t start_ms = jfr_value_int(field(event, "jvmStartTime"));
    info->arguments = copy(event, "jvmArguments");
    info->java_arguments = copy(event, "javaArguments");
    info->feature = version ? jvm_info_feature(version) : 0;
    info->start_ns = start_ms > 0 && start_ms < INT64_C(1) << START_MS_BITS ? start_ms * (int64_t)NS_PER_MS : 0;
    info->known = version && info->arguments && info->java_arguments;
    free(version);
    return info->known ? 0 : -ENOMEM;
}

int jvm_info_take(void *jvm_info, struct jfr_chunk *chunk)
{
    struct jvm_info *info = jvm_info;
    const struct jfr_type *type = jfr_chunk_type(chunk, "jdk.JVMInformation");
    struct jfr_cursor cursor = jfr_cursor_init(chunk);
    struct jfr_event event;
    if (info->known || !type || !type->events)
        return 0;
    while (jfr_cursor_next(&cursor, &event))
        if (event.type == type)
            return take(info, &event);
    return 0;
}

int jvm_info_read(struct jvm_info *info, const struct jfr_file *file, struct error *e)
{
    int rc = 0;
    *info = (struct jvm_info){0};
    for (uint32_t i = 0; !rc && !info->known && i < jfr_file_chunks(file); i++) {
        struct jfr_chunk *chunk;
        rc = jfr_chunk_open(&chunk, file, i, NULL, e); /* the code that reads the events reports problems */
        if (rc || !chunk)
            continue;
        rc = jvm_info_take(info, chunk);
        if (rc)
            error_set(e, rc, "no memory for the JVM's arguments");
        jfr_chunk_close(chunk);
    }
    return rc;
}

void jvm_info_deinit(struct jvm_info *info)
{
    free(info->arguments);
    free(info->java_arguments);
    *info = (struct jvm_info){0};
}
