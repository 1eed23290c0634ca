/* For unit tests: a session without a file, into which feature sections are put by hand. */
#ifndef READPERF_TESTS_SECTIONFIXTURE_H
#define READPERF_TESTS_SECTIONFIXTURE_H

#include "perffile/session/features.h"
#include "tests/unit/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct section_fixture {
	struct session session;
	struct diag diag;
	unsigned warnings;
	uint64_t offset;                   /* of the last warning */
	char warning[ERR_TEXT_SIZE + 100]; /* the last one */
};

static inline void note_section_warning(void *context, uint64_t offset, const char *text)
{
	struct section_fixture *f = context;

	f->warnings++;
	f->offset = offset;
	snprintf(f->warning, sizeof(f->warning), "%s", text);
}

static inline struct section_fixture *open_fixture(bool big_endian)
{
	const uint16_t one = 1;
	struct section_fixture *f = calloc(1, sizeof(*f));
	uint8_t first;

	assert_non_null(f);
	memcpy(&first, &one, 1);
	diag_init(&f->diag, note_section_warning, f);
	session_init(&f->session, &f->diag);
	f->session.big_endian = big_endian;
	f->session.swap = big_endian != (first == 0);
	return f;
}

static inline void close_fixture(struct section_fixture *f)
{
	session_release(&f->session);
	diag_release(&f->diag);
	free(f);
}

#endif
