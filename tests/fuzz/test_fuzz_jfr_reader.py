#!/usr/bin/env python3
"""The reader of recordings under libFuzzer, ASan and UBSan: 100,000 executions.

tier: default
timeout: 300
sanitize: no
"""
import jfr_reader

jfr_reader.main(runs=100_000)
