/*
 * The kernel's symbol list. Input: flags, 1 byte (bit 0: a reference symbol is known); the list.
 * What is kept of it for some addresses must answer them as the whole list does.
 */
#define _GNU_SOURCE
#include "decode/symbols/kallsyms.h"
#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#define TEXT UINT64_C(0xffffffff81000000)

static const char *name_at(struct symtable *table, uint64_t addr)
{
	const struct symbol *symbol = symtable_find(table, addr);

	return symbol ? symbol->name : "";
}

static void compare_some(struct kallsyms *all, const uint8_t *data, size_t size, bool known)
{
	static const uint64_t addrs[] = { 0, 5, 0x1000, 0x100000000, TEXT - 1, TEXT, TEXT + 0x41,
		                          TEXT + 0x1000, UINT64_MAX };
	int fd = memfd_create("list", MFD_CLOEXEC);
	const struct kallsyms_request request = { .fd = fd,
		                            .ref_name = "_text",
		                            .ref_addr = known ? TEXT : 0,
		                            .addrs = addrs,
		                            .addr_count = ARRAY_SIZE(addrs) };
	struct err err = { 0 };
	struct kallsyms some;
	bool ok;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	ok = kallsyms_read(&some, &request, &err);
	check_err(ok, &err);
	FUZZ_CHECK(!ok || (some.hidden == all->hidden && some.delta == all->delta &&
			   some.table.count <= all->table.count));
	for (size_t i = 0; ok && i < ARRAY_SIZE(addrs); i++)
		FUZZ_CHECK(!strcmp(name_at(&some.table, addrs[i]), name_at(&all->table, addrs[i])));
	kallsyms_release(&some);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms_request request = { .ref_name = "_text" };
	struct kallsyms kallsyms;
	struct symtable module;
	struct err err = { 0 };
	bool ok;

	if (size < 1)
		return 0;
	request.text = (const char *)data + 1;
	request.size = size - 1;
	request.ref_addr = data[0] & 1 ? TEXT : 0;
	ok = kallsyms_read(&kallsyms, &request, &err);
	check_err(ok, &err);
	if (ok) {
		module = (struct symtable){ 0 };
		check_err(kallsyms_put_module(&kallsyms, "[a]", 0x1000, &module, &err) &&
				  symtable_sort(&module, &err),
			  &err);
		symtable_finish(&module);
		for (uint64_t addr = 0; addr < 0x10000; addr += 0x801) {
			symtable_find(&module, addr);
			symtable_find(&kallsyms.table, TEXT + addr);
		}
		symtable_release(&module);
		compare_some(&kallsyms, data + 1, size - 1, data[0] & 1);
	}
	kallsyms_release(&kallsyms);
	return 0;
}
