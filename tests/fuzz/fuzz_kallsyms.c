/* The kernel's symbol list. Input: flags, 1 byte (bit 0: a reference symbol is known); the list. */
#include "decode/kallsyms.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms kallsyms;
	struct symtable module;
	struct err err = { 0 };
	bool ok;

	if (size < 1)
		return 0;
	ok = kallsyms_parse(&kallsyms, text_copy(data + 1, size - 1), size - 1, "_text",
			    data[0] & 1 ? 0xffffffff81000000u : 0, &err);
	check_err(ok, &err);
	if (ok) {
		symtable_init(&module);
		check_err(kallsyms_put_module(&kallsyms, "[a]", 0x1000, &module, &err) &&
				  symtable_sort(&module, &err) && symtable_finish(&module, &err),
			  &err);
		for (uint64_t addr = 0; addr < 0x10000; addr += 0x801) {
			symtable_find(&module, addr);
			symtable_find(&kallsyms.table, 0xffffffff81000000u + addr);
		}
		symtable_release(&module);
	}
	kallsyms_release(&kallsyms);
	return 0;
}
