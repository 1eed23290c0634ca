#include "decode/symbols/vdso.h"

#include "decode/symbols/elfsymbols.h"
#include "decode/symbols/kernel.h"
#include "decode/files/vdsofile.h"

bool vdso_load(struct symtable *table, const struct binary *binary,
               const struct symbol_options *options, enum symbol_origin *reason, struct err *err)
{
	struct elf elf;
	struct elf_symbols source = { &elf, &elf, ELF_SPACE_OFFSET, 0, ORIGIN_SYMTAB };
	struct err problem = { .code = ERR_NONE };
	bool ok;

	*reason = ORIGIN_FILE_MISSING;
	if (!vdso_file_open(&elf, binary, &options->files, running_release(options), err))
		return err->code == ERR_NONE;
	*reason = ORIGIN_STRIPPED;
	ok = elf_symbols_put(table, &source, SHT_SYMTAB, &problem);
	source.origin = ORIGIN_DYNSYM;
	ok = elf_symbols_put(table, &source, SHT_DYNSYM, &problem) && ok;
	ok = elf_symbols_link(table, &elf, &problem) && ok;
	if (table->count)
		*reason = ORIGIN_NO_SYMBOL;
	elf_close(&elf);
	if (problem.code != ERR_NOMEM)
		return true;
	*err = problem;
	return ok;
}
