/* Build ids. Input: flags, 1 byte (bit 0: the other byte order); then the rest. */
#include "perffile/session/features.h"
#include "tests/fuzz/fuzz.h"
#include "perffile/session/buildid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session session;
	struct err err = { 0 };
	struct diag diag;

	if (size < 1)
		return 0;
	diag_init(&diag, print_nothing, NULL);
	session_init(&session, &diag);
	session.swap = session.big_endian = data[0] & 1;
	session_add_build_ids(&session, cursor_over(data + 1, size - 1, 0x1000, "feature BUILD_ID", session.swap, &err));
	for (size_t i = 0; i < session.build_id_count; i++)
		FUZZ_CHECK(session.build_ids[i].id.size <= 20 && session.build_ids[i].name);
	session_release(&session);
	diag_release(&diag);
	return 0;
}
