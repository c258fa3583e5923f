#!/usr/bin/env python3
"""The readers of other tools' formats under libFuzzer, ASan and UBSan: 100,000 executions each.

tier: default
timeout: 600
sanitize: no
"""
import formats

formats.main(runs=100_000)
