#!/usr/bin/env python3
"""Print, summary, scrub and packed input under libFuzzer, ASan and UBSan: 10 million executions.

tier: all
timeout: 14400
sanitize: no
"""
import events

events.main(runs=10_000_000, seed=0)
