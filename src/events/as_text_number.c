#include "events/as_text_number.h"

#include "base/text/units.h"
#include "base/time_units.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

static void put_time(FILE *out, int64_t epoch_ns, bool exact)
{
    char clock[16], date[16];
    struct tm local;
    int64_t rest = epoch_ns % NS_PER_S;
    time_t seconds = (time_t)(epoch_ns / NS_PER_S) - (rest < 0);
    rest += rest < 0 ? NS_PER_S : 0;
    localtime_r(&seconds, &local);
    strftime(clock, sizeof clock, "%H:%M:%S", &local);
    strftime(date, sizeof date, "%Y-%m-%d", &local);
    fprintf(out, "%s.%0*" PRId64 " (%s)", clock, exact ? 9 : 3, exact ? rest : rest / NS_PER_MS, date);
}

static void put_span(FILE *out, int64_t ns, bool exact)
{
    char text[32];
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        fputc('-', out);
    if (exact)
        fprintf(out, "%" PRIu64 ".%09" PRIu64 " s", size / NS_PER_S, size % NS_PER_S);
    else
        fputs(units_format_duration(text, sizeof text, size), out);
}

/* Prints an amount. As in `jfr print`, 1024 bytes are a kB, but 1000 bits are a kbit. */
static void put_amount(FILE *out, double v, const char *unit, double step, bool exact)
{
    static const char prefixes[] = " kMGTPE";
    int i = 0;
    for (; !exact && fabs(v) >= step && prefixes[i + 1]; i++)
        v /= step;
    if (i)
        fprintf(out, "%.1f %c%s", v, prefixes[i], unit);
    else
        fprintf(out, "%.0f %s", v, step == 1024 ? "bytes" : "bits");
}

static void put_moment(FILE *out, int64_t v, enum jfr_unit unit, int64_t ns, bool exact)
{
    if (v == INT64_MIN)
        fputs("N/A", out);
    else if (v == INT64_MAX)
        fputs("for ever", out);
    else if (jfr_unit_is_span(unit))
        put_span(out, ns, exact);
    else
        put_time(out, ns, exact);
}

static void put_plain(FILE *out, struct jfr_value v, bool exact)
{
    bool single = v.type->kind == JFR_KIND_FLOAT;
    if (single || v.type->kind == JFR_KIND_DOUBLE)
        fprintf(out, "%.*g", !exact ? 6 : single ? 9 : 17, jfr_value_number(v));
    else if (v.is_unsigned)
        fprintf(out, "%" PRIu64, (uint64_t)jfr_value_int(v));
    else
        fprintf(out, "%" PRId64, jfr_value_int(v));
}

void as_text_number(FILE *out, struct jfr_value v, const struct jfr_field *f, bool exact)
{
    int64_t number = jfr_value_int(v), ns;
    if (jfr_moment_ns(v.chunk, f->unit, number, &ns)) {
        put_moment(out, number, f->unit, ns, exact);
        return;
    }
    switch (f->unit) {
    case JFR_UNIT_BYTES:
        put_amount(out, jfr_value_number(v), "B", 1024, exact);
        break;
    case JFR_UNIT_BITS:
        put_amount(out, jfr_value_number(v), "bit", 1000, exact);
        break;
    case JFR_UNIT_PERCENTAGE:
        fprintf(out, "%.*f%%", exact ? 9 : 2, 100 * jfr_value_number(v));
        break;
    case JFR_UNIT_ADDRESS:
        fprintf(out, "0x%08" PRIX64, (uint64_t)number);
        break;
    case JFR_UNIT_HERTZ:
        put_plain(out, v, exact);
        fputs(" Hz", out);
        break;
    default:
        put_plain(out, v, exact);
    }
}
