/*
 * Unwind tables. Input: 1 byte of bits (1: .debug_frame, 2: with a header, 4: aarch64, 8: other byte order),
 * the section. With a header, the first half of what follows is .eh_frame_hdr.
 */
#include "decode/stacks/cfi.h"
#include "decode/stacks/cfiexpr.h"
#include "tests/fuzz/fuzz.h"

#define ADDR 0x1000u

static bool read_nothing(void *context, uint64_t addr, unsigned size, uint64_t *value)
{
	(void)context;
	*value = addr;
	return addr & size;
}

static void evaluate(const struct cfi_row *row, bool swap)
{
	const struct cfi_memory memory = { NULL, read_nothing };
	const struct cfi_registers registers = { .known = UINT64_MAX >> 31 };
	const struct cfi_evaluation evaluation = { &registers, &memory, swap, true, ADDR };
	uint64_t result;

	if (row->cfa.where == CFI_EXPRESSION)
		cfi_evaluate(&evaluation, &row->cfa, &result);
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		if (row->registers[i].where == CFI_EXPRESSION ||
		    row->registers[i].where == CFI_SAVED_AT)
			cfi_evaluate(&evaluation, &row->registers[i], &result);
}

static void look(struct cfi *cfi, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	struct unwind_rule rule;
	struct cfi_row row;

	if (cfi_find_row(cfi, addr, &row, &err)) {
		evaluate(&row, cfi->eh.section.swap);
		cfi_shorten(cfi->machine, &row, &rule);
		FUZZ_CHECK(rule.kind != UNWIND_NONE);
	}
	FUZZ_CHECK(err.code == ERR_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_section section = { .text_addr = 7, .wide = true };
	struct cfi cfi = { .machine = CFI_X86_64 };
	size_t header;
	uint8_t *copy;

	if (size < 1)
		return 0;
	copy = (uint8_t *)text_copy(data + 1, size - 1);
	if (data[0] & 4)
		cfi.machine = CFI_AARCH64;
	header = data[0] & 2 ? (size - 1) / 2 : 0;
	section.swap = data[0] & 8;
	section.eh = !(data[0] & 1);
	section.data = copy;
	section.size = header;
	section.addr = ADDR;
	if (section.eh)
		frame_table_read(&cfi.eh.table, &section, ADDR + header);
	section.data += header;
	section.size = size - 1 - header;
	section.addr += header;
	*(section.eh ? &cfi.eh.section : &cfi.debug.section) = section;
	cfi.eh.section.swap = section.swap;
	for (uint64_t addr = 0; addr < 256; addr++)
		look(&cfi, addr * 17);
	for (size_t i = 0; i < cfi.eh.count && i < 64; i++)
		look(&cfi, cfi.eh.ranges[i].end - 1);
	for (size_t i = 0; i < cfi.debug.count && i < 64; i++)
		look(&cfi, cfi.debug.ranges[i].end - 1);
	cfi_release(&cfi);
	free(copy);
	return 0;
}
