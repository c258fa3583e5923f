#!/usr/bin/env python3
"""The reader of recordings under libFuzzer, ASan and UBSan for 20 seconds.

tier: default
timeout: 300
sanitize: no
"""
import jfr_reader

jfr_reader.main(seconds=20)
