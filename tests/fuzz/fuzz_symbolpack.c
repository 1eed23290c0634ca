/* A symbols.csv for --symbol-pack. Its binaries of the build id 20 times aa are asked for. */
#include "decode/symbols/symbolpack.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_answers(struct packed_symbols *packed)
{
	uint64_t addr = 0;

	for (unsigned i = 0; i < 300; i++) {
		const struct symbol *symbol = packed_symbols_find(packed, addr);

		packed_symbols_link_addr(packed, addr);
		FUZZ_CHECK(!symbol || addr - symbol->start < symbol->end - symbol->start);
		FUZZ_CHECK(!symbol || (symbol->name && symbol->packed->file));
		addr = symbol ? symbol->end : i % 2 ? addr * 2 : addr + 16;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct symbol_pack *pack = symbol_pack_parse(text_copy(data, size), size, "pack", &err);
	struct binary binary = { .kind = BINARY_FILE, .build_id.size = PERF_BUILD_ID_SIZE };
	struct packed_symbols packed;
	enum symbol_origin reason;
	struct strings strings;

	check_err(pack != NULL, &err);
	if (!pack)
		return 0;
	memset(binary.build_id.bytes, 0xaa, PERF_BUILD_ID_SIZE);
	FUZZ_CHECK(strings_init(&strings, &err));
	for (unsigned i = 0; i < 2; i++) {
		binary.kind = i ? BINARY_KERNEL : BINARY_FILE;
		binary.start = i ? 0xffffffff81000000 : 0;
		packed = packed_symbols_of(pack, &binary, &strings);
		if (!packed.binary)
			continue;
		check_answers(&packed);
		packed_symbols_reason(&packed, &reason);
	}
	strings_release(&strings);
	symbol_pack_free(pack);
	return 0;
}
