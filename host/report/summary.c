/* SPDX-License-Identifier: MIT */
#include "report.h"

static void label(const struct report *report, const char *text)
{
    style_tint(&report->style, report->out, TINT_DIM);
    fprintf(report->out, "%-10s", text);
    style_tint(&report->style, report->out, TINT_PLAIN);
}

static void firmware(const struct report *report)
{
    const uint8_t *id;
    size_t bytes = image_build_id(report->image, &id);
    label(report, "firmware");
    style_text(&report->style, report->out, image_path(report->image), SIZE_MAX);
    fprintf(report->out, " (%s, ", image_machine_name(report->image));
    fprintf(report->out, bytes == 0 ? "no build ID" : "build ID ");
    for (size_t i = 0; i < bytes; i++)
        fprintf(report->out, "%02x", id[i]);
    fputs(")\n", report->out);
}

static void sampled(const struct report *report)
{
    const struct analysis *analysis = report->analysis;
    struct time_scale scale = report_time_scale(report);
    label(report, "sampled");
    if (!analysis->has_samples) {
        fputs(analysis->arc_count > 0 ? "no samples: calls only\n" : "no samples\n",
              report->out);
        return;
    }
    fprintf(report->out, "%.*f %s", scale.decimals, analysis->total * scale.factor,
            scale.unit);
    if (analysis->has_time)
        fprintf(report->out, " at %g Hz", analysis->hz);
    else
        fputs(" at an unknown rate", report->out);
    if (analysis->overhead > 0)
        fprintf(report->out, ": program %.*f %s, profiler %.*f %s (%.1f %%)",
                scale.decimals, analysis->program * scale.factor, scale.unit,
                scale.decimals, analysis->overhead * scale.factor, scale.unit,
                report_percent(analysis->overhead, analysis->total));
    fputc('\n', report->out);
}

void report_summary(const struct report *report, const char *source, const char *events)
{
    firmware(report);
    label(report, "capture");
    style_text(&report->style, report->out, source, SIZE_MAX);
    fputs(report->profile->complete ? "\n" : ", without an end\n", report->out);
    label(report, "events");
    fprintf(report->out, "%s\n", events);
    sampled(report);
    if (report->analysis->arc_count == 0) {
        label(report, "calls");
        fputs(report->analysis->has_samples ? "no calls: samples only\n" : "no calls\n",
              report->out);
    } else if (report->analysis->unknown_callers > 0) {
        label(report, "calls");
        fprintf(report->out, "%llu of unknown callers\n",
                (unsigned long long)report->analysis->unknown_callers);
    }
}
