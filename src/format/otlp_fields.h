/* The numbers of the fields of OTLP's profile messages, and the names of attributes. Only otlp_read.c, otlp_write.c and their parts
 * include this file. */
#ifndef CANDOR_FORMAT_OTLP_FIELDS_H
#define CANDOR_FORMAT_OTLP_FIELDS_H

#include "format/otlp.h"

enum otlp_data { OTLP_RESOURCE_PROFILES = 1, OTLP_DICTIONARY };
enum otlp_resource_profiles { OTLP_RESOURCE = 1, OTLP_SCOPE_PROFILES };
enum otlp_resource { OTLP_RESOURCE_ATTRIBUTE = 1 };
enum otlp_key_value { OTLP_KEY = 1, OTLP_VALUE, OTLP_KEY_UNIT, OTLP_KEY_INDEX = 3 }; /* the index is for resources, the unit for samples */
enum otlp_any_value { OTLP_STRING = 1, OTLP_BOOL, OTLP_INT, OTLP_STRING_INDEX = 8 };
enum otlp_scope_profiles { OTLP_SCOPE = 1, OTLP_PROFILE };
enum otlp_scope { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION };
enum otlp_profile {
    OTLP_SAMPLE_TYPE = 1,
    OTLP_SAMPLE,
    OTLP_TIME,
    OTLP_DURATION,
    OTLP_PERIOD_TYPE,
    OTLP_PERIOD,
    OTLP_PROFILE_ATTRIBUTES = 11
};
enum otlp_value_type { OTLP_TYPE = 1, OTLP_UNIT };
enum otlp_dictionary { OTLP_MAPPINGS = 1, OTLP_LOCATIONS, OTLP_FUNCTIONS, OTLP_LINKS, OTLP_STRINGS, OTLP_ATTRIBUTES, OTLP_STACKS };
enum otlp_link { OTLP_LINK_TRACE = 1, OTLP_LINK_SPAN };
enum otlp_stack { OTLP_STACK_LOCATIONS = 1 };
enum otlp_location { OTLP_LOCATION_ADDRESS = 2, OTLP_LOCATION_LINE, OTLP_LOCATION_ATTRIBUTES };
enum otlp_line { OTLP_LINE_FUNCTION = 1, OTLP_LINE_LINE };
enum otlp_function { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_SYSTEM_NAME };

/* The numbers of the fields of Sample, which differ between versions. */
struct otlp_sample_fields {
    unsigned stack, attributes, link, values, timestamps;
};
static const struct otlp_sample_fields otlp_sample_fields[] = {
    [OTLP_1_10] = {.stack = 1, .attributes = 2, .link = 3, .values = 4, .timestamps = 5},
    [OTLP_1_9] = {.stack = 1, .values = 2, .attributes = 3, .link = 4, .timestamps = 5},
};

/* Names of attributes: OpenTelemetry's own, and Candor's where OpenTelemetry has none. */
#define OTLP_HOST           "host.name"
#define OTLP_PID            "process.pid"
#define OTLP_COMMAND        "process.command_line"
#define OTLP_JVM            "process.runtime.description"
#define OTLP_THREAD         "thread.name"
#define OTLP_THREAD_ID      "thread.id"
#define OTLP_JAVA_THREAD_ID "candor.java_thread.id"
#define OTLP_STATE          "candor.thread.state"
#define OTLP_OUTCOME        "candor.outcome"
#define OTLP_COUNT          "candor.samples"
#define OTLP_FRAME_KIND     "profile.frame.type"
#define OTLP_FRAME_TYPE     "candor.frame.type"
#define OTLP_BCI            "candor.frame.bci"

/* The labels of samples that OTLP expresses as links to a span, and the lengths of such ids in bytes. */
#define OTLP_TRACE_LABEL "trace_id"
#define OTLP_SPAN_LABEL  "span_id"
enum { OTLP_TRACE_BYTES = 16, OTLP_SPAN_BYTES = 8 };

#endif
