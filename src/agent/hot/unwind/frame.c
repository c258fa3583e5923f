#include "agent/hot/unwind/frame.h"

#include "agent/hot/unwind/module.h"

bool frame_is_return_address(uintptr_t pc)
{
    struct code c = code_find(pc);
    switch (c.kind) {
    case CODE_NMETHOD:
    case CODE_NATIVE_WRAPPER:
        return pc > c.begin && (frame_follows_call(pc) || code_is_deopt_entry(&c, pc));
    case CODE_INTERPRETER:
    case CODE_CALL_STUB:
        return true;
    case CODE_RETURN_BARRIER:
        return pc == vm_layout.virtuals.barrier_low;
    default:
        return false;
    }
}

bool frame_is_any_return_address(uintptr_t pc)
{
    struct module m;
    return frame_is_return_address(pc) || (module_find(pc, &m) && frame_follows_call(pc));
}

bool frame_plausible_caller(const struct code *c, struct frame *f)
{
    struct frame g = *f;
    if (!frame_caller(c, &g) || !(frame_is_return_address(g.pc) || code_find(g.pc).kind == CODE_STUB))
        return false;
    *f = g;
    return true;
}
