/* What the loader writes into a Go program: position-independent ones have no addresses in them. */
#include "decode/files/gotable.h"

#include <stdlib.h>

bool go_find_relocation(const struct elf *elf, struct go_relocation *relocation, struct err *err)
{
	uint64_t unread = elf->size; /* sections of a whole file do not overlap */
	bool found = false;

	for (size_t i = 0; !found && i < elf->section_count; i++) {
		const struct elf_section *section = &elf->sections[i];
		uint8_t *data;

		if (section->type != SHT_RELA || !(section->flags & SHF_ALLOC) ||
		    !elf_has_bytes(section) || !elf->wide || section->size > unread)
			continue;
		unread -= section->size;
		data = elf_section_data(elf, section, err);
		if (!data)
			return false;
		for (uint64_t at = 0; at + 24 <= section->size && !found; at += 24) {
			struct elf_relocation entry = elf_decode_relocation(elf, section,
			                                                    data + at);

			found = !entry.symbol &&
			        (entry.type == R_X86_64_RELATIVE ||
			         entry.type == R_AARCH64_RELATIVE) &&
			        (relocation->place ? entry.offset == relocation->place
			                           : entry.addend == relocation->value);
			if (found)
				*relocation = (struct go_relocation){ entry.offset, entry.addend };
		}
		free(data);
	}
	return found;
}
