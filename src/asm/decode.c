#include "asm/decode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const processor_names[ASM_PROCESSORS] = {"x86_64", "aarch64"};

void asm_decoder_deinit(struct asm_decoder *d)
{
    if (d->state)
        d->backend->end(d->state);
    d->state = NULL;
}

int asm_decoder_init(struct asm_decoder *d, const char *processor, enum asm_syntax syntax, struct error *e)
{
    int i = 0;
    memset(d, 0, sizeof *d);
    while (i < ASM_PROCESSORS && strcmp(processor_names[i], processor))
        i++;
    if (i == ASM_PROCESSORS)
        return error_set(e, -ENOTSUP, "code of the processor '%.40s' cannot be disassembled; x86_64 and aarch64 can", processor);
    d->processor = (enum asm_processor)i;
    d->backend = &asm_capstone;
    int rc = d->backend->begin(&d->state, d->processor, syntax);
    if (rc)
        asm_decoder_deinit(d);
    return rc ? error_set(e, rc, "the disassembler: %s", strerror(-rc)) : 0;
}

bool asm_decode(struct asm_decoder *d, const uint8_t *bytes, size_t count, uint64_t address, struct asm_instruction *out)
{
    memset(out, 0, sizeof *out);
    if (count > ASM_INSTRUCTION_BYTES_MAX)
        count = ASM_INSTRUCTION_BYTES_MAX;
    return count && d->backend->decode(d->state, bytes, count, address, out) && out->size && out->size <= count;
}

void asm_print(struct asm_decoder *d, const uint8_t *bytes, size_t count, uint64_t address, char *text, size_t size)
{
    struct asm_instruction ignored;
    if (asm_decode(d, bytes, count, address, &ignored) && d->backend->print(d->state, bytes, ignored.size, address, text, size))
        return;
    snprintf(text, size, ".byte 0x%02x", count ? bytes[0] : 0);
}
