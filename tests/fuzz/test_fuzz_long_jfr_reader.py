#!/usr/bin/env python3
"""The reader of recordings under libFuzzer, ASan and UBSan: 10 million executions.

tier: all
timeout: 14400
sanitize: no
"""
import jfr_reader

jfr_reader.main(runs=10_000_000, seed=0)
