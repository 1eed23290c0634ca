/*
 * Unwind tables. Input: 1 byte of bits (1: .debug_frame, 2: with a header, 4: aarch64, 8: other byte order),
 * the section. With a header, the first half of what follows is .eh_frame_hdr.
 */
#include "decode/stacks/unwind.h"
#include "tests/fuzz/fuzz.h"

#define ADDR 0x1000u

/* The section is the stack, too. */
static void evaluate(const struct cfi_row *row, const struct frame_section *section)
{
	const struct unwind_stack memory = { section->data, ADDR, section->size, section->swap };
	const struct cfi_registers registers = { .known = UINT64_MAX >> 31 };
	struct cfi_evaluation evaluation = { &registers, &memory, true, ADDR, STACK_ENDS };
	uint64_t result;

	if (row->cfa.where == CFI_EXPRESSION)
		cfi_evaluate(&evaluation, &row->cfa, &result);
	for (unsigned i = 0; i < CFI_REGISTERS; i++)
		if (row->registers[i].where == CFI_EXPRESSION ||
		    row->registers[i].where == CFI_SAVED_AT)
			cfi_evaluate(&evaluation, &row->registers[i], &result);
}

static void look(struct frame_index *index, enum cfi_machine machine, uint64_t addr)
{
	struct err err = { .code = ERR_NONE };
	struct unwind_rule rule;
	struct cfi_row row;

	if (cfi_find_row(index, addr, &row, &err)) {
		evaluate(&row, &index->section);
		cfi_shorten(machine, &row, &rule);
		FUZZ_CHECK(rule.kind != UNWIND_NONE);
	}
	FUZZ_CHECK(err.code == ERR_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame_section section = { .wide = true }, before;
	struct frame_index index = { .listed = false };
	enum cfi_machine machine;
	size_t header;
	uint8_t *copy;

	if (size < 1)
		return 0;
	copy = (uint8_t *)text_copy(data + 1, size - 1);
	machine = data[0] & 4 ? CFI_AARCH64 : CFI_X86_64;
	header = data[0] & 2 ? (size - 1) / 2 : 0;
	section.swap = data[0] & 8;
	section.eh = !(data[0] & 1);
	section.data = copy;
	section.size = header;
	section.addr = ADDR;
	before = section;
	section.data += header;
	section.size = size - 1 - header;
	section.addr += header;
	index.section = section;
	if (section.eh)
		frame_index_use_table(&index, &before);
	for (uint64_t addr = 0; addr < 256; addr++)
		look(&index, machine, addr * 17);
	for (size_t i = 0; !index.table && i < index.count && i < 64; i++)
		look(&index, machine, index.ranges[i].end - 1);
	frame_index_release(&index);
	free(copy);
	return 0;
}
