// Boost's bounded SPSC queue, with its capacity known at compile time, which is its faster form, and its MPMC queue.
#include "contender.h"

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>

#include <new>

namespace
{
typedef boost::lockfree::spsc_queue<void *, boost::lockfree::capacity<SLOTS>> spsc_type;
typedef boost::lockfree::queue<void *, boost::lockfree::capacity<SLOTS - 2>> mpmc_type;

alignas(128) unsigned char spsc_memory[sizeof(spsc_type)];
alignas(128) unsigned char mpmc_memory[sizeof(mpmc_type)];
spsc_type *spsc;
mpmc_type *mpmc;

void spsc_init()
{
    spsc = new (spsc_memory) spsc_type;
}

void mpmc_init()
{
    mpmc = new (mpmc_memory) mpmc_type;
}

void mpmc_deinit()
{
    mpmc->~mpmc_type();
}

CONTENDER(boost_spsc, spsc->push(element), element = spsc->pop(element) ? element : nullptr)
CONTENDER(boost_mpmc, mpmc->push(element), element = mpmc->pop(element) ? element : nullptr)
} // namespace

extern "C" {
const struct contender boost_contenders[] = {
    {"boost spsc_queue", "spsc", false, spsc_init, nullptr, boost_spsc_produce, boost_spsc_consume},
    {"boost queue", "mpmc", false, mpmc_init, mpmc_deinit, boost_mpmc_produce, boost_mpmc_consume},
};
const size_t boost_count = 2;
}
