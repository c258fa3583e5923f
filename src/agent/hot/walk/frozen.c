#include "agent/hot/walk/frozen.h"

#include "agent/hot/java/heap.h"
#include "agent/hot/load.h"

enum { CHUNKS_MAX = 1 << 12, CHUNK_WORDS_MAX = 1 << 24, METADATA_WORDS = 2 };

static bool load_word(uintptr_t base, int slot, int64_t *out)
{
    uint64_t v;
    if (!load_u64(base + (uintptr_t)(8 * (intptr_t)slot), &v))
        return false;
    *out = (int64_t)v;
    return true;
}

/* Adds `words` to an address. Returns false if the result is not within the chunk. */
static bool move(const struct frozen_stack *s, uintptr_t from, int64_t words, uintptr_t *to)
{
    if (words < -CHUNK_WORDS_MAX || words > CHUNK_WORDS_MAX)
        return false;
    *to = from + (uintptr_t)(8 * words);
    return *to > s->chunk && *to <= s->end + 8 * METADATA_WORDS;
}

/* Reads the frame whose return address is below `sp` and whose own words begin at `begin`. */
static enum frozen take(const struct frozen_stack *s, uintptr_t sp, uintptr_t begin, struct frame *f)
{
    int64_t distance;
    uint64_t pc;
    if (!load_u64(sp - 8, &pc))
        return FROZEN_UNREADABLE;
    *f = (struct frame){frame_code_address(pc), begin, 0};
    enum code_kind kind = code_find(f->pc).kind;
    if (kind == CODE_NONE)
        return FROZEN_UNREADABLE;
    if (kind == CODE_INTERPRETER && (!load_word(sp, -METADATA_WORDS, &distance) || !move(s, sp - 8 * METADATA_WORDS, distance, &f->fp)))
        return FROZEN_UNREADABLE;
    return FROZEN_FRAME;
}

static enum frozen enter_chunk(struct frozen_stack *s, uintptr_t chunk, struct frame *f)
{
    const struct vm_virtual *v = &vm_layout.virtuals;
    uint32_t sp, bottom, header;
    while (chunk) {
        if (s->chunks++ == CHUNKS_MAX || !heap_is(chunk, HEAP_STACK_CHUNK) || !heap_instance_bytes(chunk, &header) ||
            !load_u32(chunk + v->chunk_sp, &sp) || !load_u32(chunk + v->chunk_bottom, &bottom) || sp > CHUNK_WORDS_MAX ||
            bottom > CHUNK_WORDS_MAX)
            return FROZEN_UNREADABLE;
        s->chunk = chunk;
        s->end = chunk + header + 8 * (uintptr_t)bottom;
        if (sp < bottom)
            return take(s, chunk + header + 8 * (uintptr_t)sp, chunk + header + 8 * (uintptr_t)sp, f);
        if (!heap_field(chunk, v->chunk_parent, &chunk))
            return FROZEN_UNREADABLE;
    }
    return FROZEN_END;
}

enum frozen frozen_begin(struct frozen_stack *s, uintptr_t thread, struct frame *f)
{
    uintptr_t continuation, chunk;
    *s = (struct frozen_stack){0};
    if (!heap_find(thread, HEAP_CONTINUATION, &continuation) || !heap_find(continuation, HEAP_STACK_CHUNK, &chunk))
        return FROZEN_UNREADABLE;
    return enter_chunk(s, chunk, f);
}

static enum frozen leave_chunk(struct frozen_stack *s, struct frame *f)
{
    uintptr_t parent;
    if (!heap_field(s->chunk, vm_layout.virtuals.chunk_parent, &parent))
        return FROZEN_UNREADABLE;
    return enter_chunk(s, parent, f);
}

/* Goes to the caller of an interpreted frame. The locals, including the arguments, are in the caller's words. The caller of the chunk's
 * lowest frame is not in the chunk, so the locals of that frame are after all frames. They may need more room than the words for
 * metadata. */
static enum frozen interpreted_caller(struct frozen_stack *s, struct frame *f)
{
    int64_t last_local, begin;
    uintptr_t at;
    if (!load_word(f->fp, vm_layout.interpreter_bcp_slot + 1, &last_local) || last_local < 0 || last_local > CHUNK_WORDS_MAX ||
        !load_word(f->fp, vm_layout.interpreter_sender_sp_slot, &begin))
        return FROZEN_UNREADABLE;
    if (f->fp + 8 * ((uintptr_t)last_local + 1) >= s->end)
        return leave_chunk(s, f);
    if (!move(s, f->fp, begin, &at))
        return FROZEN_UNREADABLE;
    return take(s, f->fp + 8 * METADATA_WORDS, at, f);
}

enum frozen frozen_caller(struct frozen_stack *s, const struct code *c, struct frame *f)
{
    if (c->kind == CODE_INTERPRETER)
        return interpreted_caller(s, f);
    uintptr_t sp = f->sp + 8 * (uintptr_t)c->frame_words;
    if (!c->frame_words || sp > s->end)
        return FROZEN_UNREADABLE;
    if (sp >= s->end - 8 * METADATA_WORDS)
        return leave_chunk(s, f);
    return take(s, sp, sp, f);
}
