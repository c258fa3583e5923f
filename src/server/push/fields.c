#include "server/push/fields.h"

/* ---- push.v1 ---- */

static const struct json_pb_field label[] = {{"name", PUSH_NAME, JSON_PB_TEXT, NULL}, {"value", PUSH_VALUE, JSON_PB_TEXT, NULL}, {0}};
static const struct json_pb_field raw[] = {{"rawProfile", PUSH_PROFILE, JSON_PB_BASE64, NULL}, {0}};
static const struct json_pb_field series[] = {{"labels", PUSH_LABELS, JSON_PB_MESSAGE, label},
                                              {"samples", PUSH_SAMPLES, JSON_PB_MESSAGE, raw},
                                              {0}};
const struct json_pb_field fields_push[] = {{"series", PUSH_SERIES, JSON_PB_MESSAGE, series}, {0}};

/* ---- OTLP ---- */

static const struct json_pb_field any_value[9], key_value[4]; /* a value may contain other values */
static const struct json_pb_field any_list[] = {{"values", 1, JSON_PB_MESSAGE, any_value}, {0}};
static const struct json_pb_field key_values[] = {{"values", 1, JSON_PB_MESSAGE, key_value}, {0}};
static const struct json_pb_field any_value[9] = {
    {"stringValue", 1, JSON_PB_TEXT, NULL},
    {"boolValue", 2, JSON_PB_BOOL, NULL},
    {"intValue", 3, JSON_PB_INT, NULL},
    {"doubleValue", 4, JSON_PB_DOUBLE, NULL},
    {"arrayValue", 5, JSON_PB_MESSAGE, any_list},
    {"kvlistValue", 6, JSON_PB_MESSAGE, key_values},
    {"bytesValue", 7, JSON_PB_BASE64, NULL},
    {"stringValueStrindex", 8, JSON_PB_INT, NULL},
    {0},
};
static const struct json_pb_field key_value[4] = {{"key", 1, JSON_PB_TEXT, NULL},
                                                  {"value", 2, JSON_PB_MESSAGE, any_value},
                                                  {"keyStrindex", 3, JSON_PB_INT, NULL},
                                                  {0}};
static const struct json_pb_field resource[] = {{"attributes", 1, JSON_PB_MESSAGE, key_value}, {0}};
static const struct json_pb_field scope[] = {{"name", 1, JSON_PB_TEXT, NULL},
                                             {"version", 2, JSON_PB_TEXT, NULL},
                                             {"attributes", 3, JSON_PB_MESSAGE, key_value},
                                             {0}};

static const struct json_pb_field value_type[] = {{"typeStrindex", 1, JSON_PB_INT, NULL}, {"unitStrindex", 2, JSON_PB_INT, NULL}, {0}};
static const struct json_pb_field sample[] = {
    {"stackIndex", 1, JSON_PB_INT, NULL}, {"attributeIndices", 2, JSON_PB_INT, NULL},       {"linkIndex", 3, JSON_PB_INT, NULL},
    {"values", 4, JSON_PB_INT, NULL},     {"timestampsUnixNano", 5, JSON_PB_FIXED64, NULL}, {0},
};
static const struct json_pb_field profile[] = {
    {"sampleType", 1, JSON_PB_MESSAGE, value_type},
    {"samples", 2, JSON_PB_MESSAGE, sample},
    {"timeUnixNano", 3, JSON_PB_FIXED64, NULL},
    {"durationNano", 4, JSON_PB_INT, NULL},
    {"periodType", 5, JSON_PB_MESSAGE, value_type},
    {"period", 6, JSON_PB_INT, NULL},
    {"profileId", 7, JSON_PB_HEX, NULL},
    {"droppedAttributesCount", 8, JSON_PB_INT, NULL},
    {"originalPayloadFormat", 9, JSON_PB_TEXT, NULL},
    {"originalPayload", 10, JSON_PB_BASE64, NULL},
    {"attributeIndices", 11, JSON_PB_INT, NULL},
    {0},
};
static const struct json_pb_field scope_profiles[] = {{"scope", 1, JSON_PB_MESSAGE, scope},
                                                      {"profiles", 2, JSON_PB_MESSAGE, profile},
                                                      {"schemaUrl", 3, JSON_PB_TEXT, NULL},
                                                      {0}};
static const struct json_pb_field resource_profiles[] = {{"resource", 1, JSON_PB_MESSAGE, resource},
                                                         {"scopeProfiles", 2, JSON_PB_MESSAGE, scope_profiles},
                                                         {"schemaUrl", 3, JSON_PB_TEXT, NULL},
                                                         {0}};

static const struct json_pb_field mapping[] = {
    {"memoryStart", 1, JSON_PB_INT, NULL},      {"memoryLimit", 2, JSON_PB_INT, NULL},      {"fileOffset", 3, JSON_PB_INT, NULL},
    {"filenameStrindex", 4, JSON_PB_INT, NULL}, {"attributeIndices", 5, JSON_PB_INT, NULL}, {0},
};
static const struct json_pb_field line[] = {{"functionIndex", 1, JSON_PB_INT, NULL},
                                            {"line", 2, JSON_PB_INT, NULL},
                                            {"column", 3, JSON_PB_INT, NULL},
                                            {0}};
static const struct json_pb_field location[] = {
    {"mappingIndex", 1, JSON_PB_INT, NULL},
    {"address", 2, JSON_PB_INT, NULL},
    {"lines", 3, JSON_PB_MESSAGE, line},
    {"attributeIndices", 4, JSON_PB_INT, NULL},
    {0},
};
static const struct json_pb_field function[] = {
    {"nameStrindex", 1, JSON_PB_INT, NULL},
    {"systemNameStrindex", 2, JSON_PB_INT, NULL},
    {"filenameStrindex", 3, JSON_PB_INT, NULL},
    {"startLine", 4, JSON_PB_INT, NULL},
    {0},
};
static const struct json_pb_field link[] = {{"traceId", 1, JSON_PB_HEX, NULL}, {"spanId", 2, JSON_PB_HEX, NULL}, {0}};
static const struct json_pb_field key_value_unit[] = {{"keyStrindex", 1, JSON_PB_INT, NULL},
                                                      {"value", 2, JSON_PB_MESSAGE, any_value},
                                                      {"unitStrindex", 3, JSON_PB_INT, NULL},
                                                      {0}};
static const struct json_pb_field stack[] = {{"locationIndices", 1, JSON_PB_INT, NULL}, {0}};
static const struct json_pb_field dictionary[] = {
    {"mappingTable", 1, JSON_PB_MESSAGE, mapping},   {"locationTable", 2, JSON_PB_MESSAGE, location},
    {"functionTable", 3, JSON_PB_MESSAGE, function}, {"linkTable", 4, JSON_PB_MESSAGE, link},
    {"stringTable", 5, JSON_PB_TEXT, NULL},          {"attributeTable", 6, JSON_PB_MESSAGE, key_value_unit},
    {"stackTable", 7, JSON_PB_MESSAGE, stack},       {0},
};
const struct json_pb_field fields_otlp[] = {{"resourceProfiles", 1, JSON_PB_MESSAGE, resource_profiles},
                                            {"dictionary", 2, JSON_PB_MESSAGE, dictionary},
                                            {0}};
