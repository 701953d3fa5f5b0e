# The front door: `make demo` and `make check` do all their own set-up on a
# fresh Debian 12. Everything else is meson's (`meson setup build`, `ninja`).
BUILD    ?= build
SANITIZE ?= build-sanitize

.PHONY: all demo check check-long sanitize bench isa-doc install format clean dependencies

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

dependencies:
	@scripts/install-dependencies.sh

$(BUILD)/build.ninja: | dependencies
	@meson setup $(BUILD) >/dev/null

demo: dependencies all
	@scripts/demo.sh $(BUILD)

check: dependencies all
	@scripts/run-tests.py $(BUILD)

# Adds the suites that take longer than a change can wait for.
check-long: dependencies all
	@scripts/run-tests.py $(BUILD) --long

# The tests that need no driver, under AddressSanitizer and UBSan.
sanitize: dependencies
	@[ -f $(SANITIZE)/build.ninja ] || \
	    meson setup $(SANITIZE) -Db_sanitize=address,undefined -Dbuildtype=debugoptimized >/dev/null
	@ninja -C $(SANITIZE)
	@scripts/run-tests.py $(SANITIZE) --suite quick

bench: dependencies all
	@bench/run.py $(BUILD)
	@bench/records.py $(BUILD)
	@bench/msp430.py $(BUILD)

# doc/isa-gen.md from the codec's tables and the last long run's figures.
isa-doc: all
	@scripts/isa-doc.py $(BUILD)

install: all
	@meson install -C $(BUILD)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	@rm -rf $(BUILD) $(SANITIZE)
