#!/usr/bin/env python3
"""The readers of other tools' formats under libFuzzer, ASan and UBSan: 10 million executions each.

tier: all
timeout: 14400
sanitize: no
"""
import formats

formats.main(runs=10_000_000, seed=0)
