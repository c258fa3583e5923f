#include "agent/hot/frame.h"

#include "agent/hot/module.h"

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
