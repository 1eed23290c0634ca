#include "decode/dwarf/facts.h"

enum die_fact fact_of(uint32_t name)
{
	static const struct {
		uint16_t name;
		uint8_t fact;
	} more[] = {
		{ 0x2007, FACT_LINKAGE_NAME }, /* MIPS_linkage_name */
		{ 0x2130, FACT_DWO_NAME },     /* GNU_dwo_name */
		{ 0x2131, FACT_DWO_ID },       /* GNU_dwo_id */
		{ 0x2132, FACT_RANGES_BASE },  /* GNU_ranges_base */
		{ 0x2133, FACT_ADDR_BASE },    /* GNU_addr_base */
	};
	/* By attribute: fact + 1. */
	static const uint8_t facts[] = {
		[0x03] = FACT_NAME + 1,          [0x10] = FACT_STMT_LIST + 1,
		[0x11] = FACT_LOW_PC + 1,        [0x12] = FACT_HIGH_PC + 1,
		[0x13] = FACT_LANGUAGE + 1,      [0x1b] = FACT_COMP_DIR + 1,
		[0x25] = FACT_PRODUCER + 1,      [0x31] = FACT_ORIGIN + 1,
		[0x34] = FACT_ARTIFICIAL + 1,    [0x39] = FACT_DECL_COLUMN + 1,
		[0x3a] = FACT_DECL_FILE + 1,     [0x3b] = FACT_DECL_LINE + 1,
		[0x47] = FACT_SPECIFICATION + 1, [0x49] = FACT_TYPE + 1,
		[0x55] = FACT_RANGES + 1,        [0x58] = FACT_CALL_FILE + 1,
		[0x59] = FACT_CALL_LINE + 1,     [0x69] = FACT_SIGNATURE + 1,
		[0x6e] = FACT_LINKAGE_NAME + 1,  [0x72] = FACT_STR_OFFSETS_BASE + 1,
		[0x73] = FACT_ADDR_BASE + 1,     [0x74] = FACT_RNGLISTS_BASE + 1,
		[0x76] = FACT_DWO_NAME + 1,
	};

	if (name < sizeof(facts))
		return facts[name] ? (enum die_fact)(facts[name] - 1) : FACT_NONE;
	for (size_t i = 0; name >= 0x2000 && i < ARRAY_SIZE(more); i++)
		if (more[i].name == name)
			return (enum die_fact)more[i].fact;
	return FACT_NONE;
}

/* Reads one value; b is at offset in the section. */
static void read_value(struct die_facts *facts, enum die_fact fact,
                       const struct abbrev_attribute *attribute, struct bytes *b, uint64_t offset,
                       const struct dwarf_format *format)
{
	const uint8_t *start = b->pos;
	uint32_t form = attribute->form;
	uint64_t value = (uint64_t)attribute->value;

	if (form == FORM_INDIRECT)
		form = (uint32_t)u64_min(bytes_uleb(b), UINT16_MAX);
	if (form == FORM_STRING) {
		value = offset + (uint64_t)(b->pos - start);
		bytes_text(b);
	} else if (form_is_number(form)) {
		value = form_uint(b, form, format);
	} else if (form != FORM_IMPLICIT_CONST) {
		form_skip(b, form, format);
		form = 0;
	}
	if (facts->form[fact] || b->bad)
		return;
	facts->form[fact] = (uint16_t)form;
	facts->value[fact] = value;
}

uint64_t facts_read(struct die_facts *facts, const struct abbrev *abbrev, struct bytes *b,
                    uint64_t offset, const struct dwarf_format *format)
{
	struct bytes attributes = abbrev->attributes;
	struct abbrev_attribute attribute;
	const uint8_t *start = b->pos;

	facts->tag = abbrev->tag;
	facts->children = abbrev->children;
	memset(facts->form, 0, sizeof(facts->form));
	while (!b->bad && abbrev_next(&attributes, &attribute)) {
		enum die_fact fact = fact_of(attribute.name);

		if (fact == FACT_NONE)
			form_skip(b, attribute.form, format);
		else
			read_value(facts, fact, &attribute, b, offset + (uint64_t)(b->pos - start),
			           format);
	}
	return (uint64_t)(attributes.pos - abbrev->attributes.pos);
}

bool facts_uint(const struct die_facts *facts, enum die_fact fact, uint64_t *value)
{
	switch (facts->form[fact]) {
	case FORM_DATA1:
	case FORM_DATA2:
	case FORM_DATA4:
	case FORM_DATA8:
	case FORM_UDATA:
	case FORM_SDATA:
	case FORM_IMPLICIT_CONST:
	case FORM_SEC_OFFSET:
		*value = facts->value[fact];
		return true;
	default:
		return false;
	}
}
