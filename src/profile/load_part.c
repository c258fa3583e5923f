#include "profile/load_part.h"

#include "base/array.h"

const char *const load_rank_types[LOAD_RANKS] = {[LOAD_NOTHING] = "",
                                                 [LOAD_ALLOCATION] = "jdk.ObjectAllocationSample",
                                                 [LOAD_EXECUTION] = "jdk.ExecutionSample",
                                                 [LOAD_DATADOG] = "datadog.ExecutionSample",
                                                 [LOAD_SAFEPOINT] = "candor.SafepointSample",
                                                 [LOAD_WALL] = "candor.WallSample",
                                                 [LOAD_CPU_TIME] = "jdk.CPUTimeSample",
                                                 [LOAD_CANDOR] = "candor.CpuSample",
                                                 [LOAD_EVENT] = "candor.EventSample"};

void load_part_reset(struct load_part *part)
{
    *part = (struct load_part){.samples = part->samples,
                               .sample_cap = part->sample_cap,
                               .notes = part->notes,
                               .note_cap = part->note_cap};
}

void load_part_deinit(struct load_part *part)
{
    free(part->samples);
    free(part->notes);
    *part = (struct load_part){0};
}

int load_part_sample(struct load_part *part, const struct profile_sample *sample)
{
    if (ARRAY_GROW(part->samples, part->sample_cap, part->sample_count))
        return -ENOMEM;
    part->samples[part->sample_count++] = *sample;
    return 0;
}

int load_part_note(struct load_part *part, struct load_note note)
{
    if (ARRAY_GROW(part->notes, part->note_cap, part->note_count))
        return -ENOMEM;
    part->notes[part->note_count++] = note;
    return 0;
}
