# SPDX-License-Identifier: Apache-2.0
# make: the model's program of its C source. make check: whether files are as they were written, and the program computes
# what it should. Everything that is made lies in BUILD. Any compiler for C99 and any POSIX make will do.
CC = cc
CFLAGS = -O2
BUILD = build
PROGRAM = $(BUILD)/@NAME@
COMPARE = $(BUILD)/compare

all: $(PROGRAM)
$(PROGRAM): @SOURCES@
	@mkdir -p $(BUILD)
	$(CC) -std=c99 $(CFLAGS) @SOURCES@ -o $@ -lm
$(COMPARE): golden/compare.c golden/npy.h
	@mkdir -p $(BUILD)
	$(CC) -std=c99 $(CFLAGS) golden/compare.c -o $@ -lm
check: hashes $(PROGRAM)@COMPARING@
@CASES@hashes:
	@if command -v sha256sum >/dev/null 2>&1; then sha256sum --quiet -c SHA256SUMS && echo 'hashes: good'; fi
clean:
	rm -rf $(BUILD)
.PHONY: all check hashes clean
