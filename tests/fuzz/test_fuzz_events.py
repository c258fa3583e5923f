#!/usr/bin/env python3
"""Print, summary, scrub and packed input under libFuzzer, ASan and UBSan: 20 seconds.

tier: default
timeout: 300
sanitize: no
"""
import events

events.main(seconds=20)
