# prof: `make` builds ./prof; demo, check, size, install, dist, clean.
CC      = musl-gcc
CFLAGS  = -Os
WARN    = -Wall -Wextra -Wshadow -Wconversion -Wpedantic
ALL     = -std=c11 -D_GNU_SOURCE $(WARN) -ffunction-sections -fdata-sections -idirafter build/include -MMD -MP $(CFLAGS)
LDFLAGS = -static -Wl,--gc-sections,--build-id=none,-z,noseparate-code
src     = prof.c $(wildcard lib/*.c sym/*.c unwind/*.c sample/*.c out/*.c cmd/*.c)
obj     = $(src:%.c=build/%.o)

prof: $(obj)
	$(CC) $(LDFLAGS) -o $@ $(obj)

build/%.o: %.c | build/include
	@mkdir -p $(@D)
	$(CC) $(ALL) -c -o $@ $<

build/include:
	@mkdir -p $@
	ln -s /usr/include/linux /usr/include/asm-generic /usr/include/x86_64-linux-gnu/asm $@

clean:
	rm -rf build prof

-include $(obj:.o=.d)
.PHONY: clean
