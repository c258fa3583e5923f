#include "profile/load/load_part.h"

#include "base/array.h"

void load_part_reset(struct load_part *part)
{
    *part = (struct load_part){.samples = part->samples,
                               .sample_cap = part->sample_cap,
                               .objects = part->objects,
                               .object_cap = part->object_cap,
                               .live_sets = part->live_sets,
                               .live_set_cap = part->live_set_cap,
                               .blocks = part->blocks,
                               .block_cap = part->block_cap,
                               .notes = part->notes,
                               .note_cap = part->note_cap};
}

void load_part_deinit(struct load_part *part)
{
    free(part->samples);
    free(part->objects);
    free(part->live_sets);
    free(part->blocks);
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

int load_part_object(struct load_part *part, const struct profile_object *object)
{
    if (ARRAY_GROW(part->objects, part->object_cap, part->object_count))
        return -ENOMEM;
    part->objects[part->object_count++] = *object;
    return 0;
}

int load_part_block(struct load_part *part, const struct load_block *block)
{
    if (ARRAY_GROW(part->blocks, part->block_cap, part->block_count))
        return -ENOMEM;
    part->blocks[part->block_count++] = *block;
    return 0;
}

int load_part_live_set(struct load_part *part, const struct profile_live_set *set)
{
    if (ARRAY_GROW(part->live_sets, part->live_set_cap, part->live_set_count))
        return -ENOMEM;
    part->live_sets[part->live_set_count++] = *set;
    return 0;
}

int load_part_note(struct load_part *part, struct load_note note)
{
    if (ARRAY_GROW(part->notes, part->note_cap, part->note_count))
        return -ENOMEM;
    part->notes[part->note_count++] = note;
    return 0;
}
