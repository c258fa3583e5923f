#!/usr/bin/env python3
"""Print, summary, scrub and packed input under libFuzzer, ASan and UBSan: 30,000 executions.

tier: default
timeout: 300
sanitize: no
"""
import events

events.main(runs=30_000)
