# SPDX-License-Identifier: Apache-2.0
# make BUNDLE=..: the example, beside this file or in the folder where make is called with -f (a path without blanks).
BUNDLE ?= ..
CC ?= cc
CFLAGS ?= -O2 -Wall -Wextra
HERE := $(dir $(lastword $(MAKEFILE_LIST)))
LIBRARIES = '$(BUNDLE)/lib/lib@NAME@.a' '$(BUNDLE)/lib/liblathe_rt.a'

main: $(HERE)main.c
	$(CC) -std=c99 $(CFLAGS) -I'$(BUNDLE)/include' $< $(LIBRARIES) -lstdc++ -lpthread -ldl -lm -o $@
run: main
	./main '$(BUNDLE)'
clean:
	rm -f main
.PHONY: run clean
