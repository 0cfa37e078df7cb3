/* SPDX-License-Identifier: MIT */
/* The timeline's sums as JSON. */
#include "../capture/timeline_sums.h"
#include "export.h"

static double seconds(const struct profile *profile, uint64_t ticks)
{
    return (double)ticks / profile->timeline.hz;
}

/* Writes null if there were none. */
static void put_durations(struct json *json, const char *key,
                          const struct profile *profile,
                          const struct durations *durations)
{
    if (durations->count == 0) {
        json_null(json, key);
        return;
    }
    json_open(json, key, '{');
    json_whole(json, "count", durations->count);
    json_real(json, "p50_seconds", seconds(profile, durations_quantile(durations, 0.5)));
    json_real(json, "p99_seconds", seconds(profile, durations_quantile(durations, 0.99)));
    json_real(json, "longest_seconds", seconds(profile, durations->longest));
    json_close(json, '}');
}

static void put_tracks(struct json *json, const struct profile *profile,
                       const struct timeline_sums *sums)
{
    json_open(json, "tracks", '[');
    for (size_t i = 0; i < sums->track_count; i++) {
        const struct timeline_track *track = &sums->tracks[i];
        char label[TASK_LABEL_MAX];

        task_label(label, profile, track->number);
        json_open(json, NULL, '{');
        json_whole(json, "task", track->number);
        json_text(json, "name", label);
        json_bool(json, "idle", track->idle);
        json_real(json, "seconds", seconds(profile, track->ticks));
        put_durations(json, "stretches", profile, &track->stretches);
        put_durations(json, "waits", profile, &track->waits);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void put_values(struct json *json, const struct timeline_marks *marks)
{
    if (marks->count == 0) {
        json_null(json, "values");
        return;
    }
    json_open(json, "values", '{');
    json_whole(json, "count", marks->count);
    json_real(json, "last", marks->last);
    json_real(json, "least", marks->least);
    json_real(json, "most", marks->most);
    json_close(json, '}');
}

static void put_marks(struct json *json, const struct profile *profile,
                      const struct image *image, const struct timeline_sums *sums)
{
    json_open(json, "marks", '[');
    for (size_t i = 0; i < sums->mark_count; i++) {
        const struct timeline_marks *marks = &sums->marks[i];

        json_open(json, NULL, '{');
        json_whole(json, "address", marks->name);
        json_text(json, "name", image != NULL ? image_text(image, marks->name) : NULL);
        put_values(json, marks);
        put_durations(json, "spans", profile, &marks->spans);
        json_close(json, '}');
    }
    json_close(json, ']');
}

bool export_timeline(struct json *json, const struct profile *profile,
                     const struct image *image)
{
    struct timeline_sums sums;

    if (profile->timeline.hz <= 0) {
        json_null(json, "timeline");
        return true;
    }
    if (!timeline_sums_init(&sums, profile))
        return false;
    json_open(json, "timeline", '{');
    json_real(json, "hz", profile->timeline.hz);
    json_whole(json, "received", profile->timeline.received);
    json_whole(json, "lost", profile->timeline.lost);
    json_bool(json, "lost_is_at_least",
              !profile->complete || profile_loses_more(profile));
    json_whole(json, "earlier", profile->timeline.earlier);
    json_real(json, "seconds", seconds(profile, sums.known));
    json_real(json, "idle_seconds", seconds(profile, sums.idle));
    json_real(json, "unknown_seconds", seconds(profile, sums.unknown));
    json_whole(json, "gaps", sums.gaps);
    put_tracks(json, profile, &sums);
    put_marks(json, profile, image, &sums);
    json_close(json, '}');
    timeline_sums_release(&sums);
    return true;
}
