#include "decode/symbols/modulecalls.h"

#include "util/search.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

struct call_reader {
	struct module_calls *calls;
	const struct elf *elf;
	uint8_t *symbols;
	size_t symbol_count;
	uint64_t text_size;
	struct err *err;
};

static bool read_symbols(struct call_reader *reader)
{
	const struct elf *elf = reader->elf;
	const struct elf_section *table = elf_find_type(elf, SHT_SYMTAB);

	if (!table || table->link >= elf->section_count)
		return false;
	reader->symbols = elf_section_data(elf, table, reader->err);
	reader->symbol_count = (size_t)table->size / elf_symbol_size(elf);
	reader->calls->texts = (char *)elf_section_data(elf, &elf->sections[table->link],
	                                                reader->err);
	reader->text_size = elf->sections[table->link].size;
	return reader->symbols && reader->calls->texts;
}

/* The address of an offset in the section with this number; UINT64_MAX: that is no code. */
static uint64_t address_of(const struct elf *elf, size_t number, uint64_t offset)
{
	const struct elf_section *section = number < elf->section_count ? &elf->sections[number]
	                                                                : NULL;

	if (!section || section->place == UINT64_MAX || offset >= section->size)
		return UINT64_MAX;
	return section->place + offset;
}

static struct elf_symbol symbol_at(const struct call_reader *reader, size_t number)
{
	return elf_decode_symbol(reader->elf,
	                         reader->symbols + number * elf_symbol_size(reader->elf));
}

static bool list_functions(struct call_reader *reader)
{
	struct module_calls *calls = reader->calls;

	for (size_t i = 0; i < reader->symbol_count; i++) {
		const struct elf_symbol symbol = symbol_at(reader, i);
		const struct module_function function = { address_of(reader->elf, symbol.section,
			                                             symbol.value),
			                                  symbol.size, symbol.name };

		if (symbol.type == STT_FUNC && symbol.size && function.start != UINT64_MAX &&
		    symbol.name < reader->text_size &&
		    !vec_append(&calls->functions, &calls->function_count,
		                &calls->function_capacity, &function, sizeof(function),
		                reader->err))
			return false;
	}
	if (calls->function_count)
		qsort(calls->functions, calls->function_count, sizeof(*calls->functions),
		      search_compare);
	return true;
}

/* Adds the relocations of a section, which are for the code at this place. */
static bool list_calls(struct call_reader *reader, const struct elf_section *section,
                       uint64_t place)
{
	struct module_calls *calls = reader->calls;
	const struct elf *elf = reader->elf;
	const size_t size = elf_relocation_size(elf, section);
	/* on x86 the distance is counted from the end of the field, which has 4 bytes */
	const uint64_t field = elf->machine == EM_X86_64 ? 4 : 0;
	uint8_t *data = elf_section_data(elf, section, reader->err);
	bool ok = data;

	for (size_t i = 0; ok && i < section->size / size; i++) {
		const struct elf_relocation slot = elf_decode_relocation(elf, section,
		                                                         data + i * size);
		struct module_call call = { .addr = place + slot.offset,
			                    .offset = slot.addend + field };
		struct elf_symbol symbol;

		if (!slot.symbol || slot.symbol >= reader->symbol_count)
			continue;
		symbol = symbol_at(reader, slot.symbol);
		call.name = symbol.name < reader->text_size ? symbol.name : 0;
		call.target = address_of(elf, symbol.section, symbol.value + call.offset);
		ok = vec_append(&calls->calls, &calls->call_count, &calls->call_capacity, &call,
		                sizeof(call), reader->err);
	}
	free(data);
	return ok;
}

static bool list_all(struct call_reader *reader)
{
	const struct elf *elf = reader->elf;
	struct module_calls *calls = reader->calls;

	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];
		const uint64_t place = section->info < elf->section_count
		                               ? elf->sections[section->info].place
		                               : UINT64_MAX;

		if (section->type == SHT_RELA && place != UINT64_MAX &&
		    !list_calls(reader, section, place))
			return false;
	}
	if (calls->call_count)
		qsort(calls->calls, calls->call_count, sizeof(*calls->calls), search_compare);
	return true;
}

bool module_calls_read(struct module_calls *calls, const struct elf *elf, struct err *err)
{
	struct err damage = { .code = ERR_NONE };
	struct call_reader reader = { .calls = calls, .elf = elf, .err = &damage };

	memset(calls, 0, sizeof(*calls));
	if (elf->type != ET_REL || !read_symbols(&reader) || !list_functions(&reader) ||
	    !list_all(&reader))
		module_calls_release(calls);
	free(reader.symbols);
	return err_pass_nomem(err, &damage);
}

void module_calls_release(struct module_calls *calls)
{
	free(calls->calls);
	free(calls->functions);
	free(calls->texts);
	memset(calls, 0, sizeof(*calls));
}

bool module_calls_find(const struct module_calls *calls, uint64_t start, uint64_t end,
                       uint64_t addr, struct module_target *target)
{
	size_t number = search_below(calls->calls, calls->call_count, sizeof(*calls->calls), start);
	const struct module_function *function;

	if (number < calls->call_count && calls->calls[number].addr < end) {
		const struct module_call *call = &calls->calls[number];

		addr = call->target;
		*target = (struct module_target){ calls->texts + call->name, call->offset, addr };
		if (addr == UINT64_MAX)
			return *target->name;
	}
	number = search_until(calls->functions, calls->function_count, sizeof(*calls->functions),
	                      addr);
	if (!number)
		return false;
	function = &calls->functions[number - 1];
	if (addr - function->start >= function->size)
		return false;
	*target = (struct module_target){ calls->texts + function->name, addr - function->start,
		                          addr };
	return true;
}
