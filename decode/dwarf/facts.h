/* The attributes of a DIE that are used here. Format: DWARF 5, 7.5.4 to 7.5.6. */
#ifndef READPERF_DECODE_DWARF_FACTS_H
#define READPERF_DECODE_DWARF_FACTS_H

#include "decode/dwarf/abbrev.h"

enum die_fact {
	FACT_NAME,
	FACT_LINKAGE_NAME,
	FACT_DECL_FILE,
	FACT_DECL_LINE,
	FACT_DECL_COLUMN,
	FACT_ORIGIN,
	FACT_SPECIFICATION,
	FACT_CALL_FILE,
	FACT_CALL_LINE,
	FACT_ARTIFICIAL,
	FACT_SIGNATURE,
	FACT_TYPE,
	FACT_LANGUAGE,
	FACT_STMT_LIST,
	FACT_COMP_DIR,
	FACT_PRODUCER,
	FACT_DWO_NAME,
	FACT_DWO_ID,
	FACT_ADDR_BASE,
	FACT_STR_OFFSETS_BASE,
	FACT_RNGLISTS_BASE,
	FACT_RANGES_BASE,
	FACT_LOW_PC,
	FACT_HIGH_PC,
	FACT_RANGES,
	FACT_NONE, /* that of all other attributes; no DIE has it */
	FACT_COUNT
};

enum dwarf_tag {
	TAG_CLASS_TYPE = 0x02,
	TAG_FORMAL_PARAMETER = 0x05,
	TAG_POINTER_TYPE = 0x0f,
	TAG_REFERENCE_TYPE = 0x10,
	TAG_COMPILE_UNIT = 0x11,
	TAG_STRUCTURE_TYPE = 0x13,
	TAG_TYPEDEF = 0x16,
	TAG_UNION_TYPE = 0x17,
	TAG_INLINED_SUBROUTINE = 0x1d,
	TAG_CONST_TYPE = 0x26,
	TAG_SUBPROGRAM = 0x2e,
	TAG_VOLATILE_TYPE = 0x35,
	TAG_NAMESPACE = 0x39,
	TAG_RVALUE_REFERENCE_TYPE = 0x42,
	TAG_SKELETON_UNIT = 0x4a
};

struct die_facts {
	uint16_t tag;
	bool children;
	uint64_t behind; /* offset of what follows the DIE in the section: its first child */
	uint16_t form[FACT_COUNT]; /* 0: the DIE does not have it */
	/*
	 * The number, offset, index or constant; for a text inside the DIE its offset in the
	 * section.
	 */
	uint64_t value[FACT_COUNT];
};

/* The fact for an attribute's number. */
enum die_fact fact_of(uint32_t name);
/*
 * Reads the attributes of a DIE. b: its values, which is moved behind them; offset: of b in the
 * section. If the values are damaged, b is bad. Returns how many bytes of the abbreviation were
 * read, which any number of DIEs may share.
 */
uint64_t facts_read(struct die_facts *facts, const struct abbrev *abbrev, struct bytes *b,
                    uint64_t offset, const struct dwarf_format *format);
/* The value of a constant. False: the DIE does not have it, or it is no constant. */
bool facts_uint(const struct die_facts *facts, enum die_fact fact, uint64_t *value);

#endif
