/*
 * Feature sections. Input: their number, 1 byte; flags, 1 byte (bit 0: the other byte order); then
 * the section. Facts, build ids, names of events, groups and clocks are read from it.
 */
#include "perffile/session/eventname.h"
#include "perffile/facts/facts.h"
#include "perffile/session/features.h"
#include "tests/fuzz/fuzz.h"
#include "perffile/session/buildid.h"

static void add_events(struct session *session, struct event events[3])
{
	for (uint32_t i = 0; i < 3; i++) {
		memset(&events[i], 0, sizeof(events[i]));
		events[i].attr.type = i * 2;
		events[i].attr.config = i;
		events[i].scale = 1;
	}
	session->events = events;
	session->event_count = session->active = 3;
}

static void read_lists(struct session *session, struct err *err)
{
	struct numbered_names pmus = { 0 };
	struct event_desc *descs = NULL;
	struct event_group *groups = NULL;
	struct clock_data clock;
	size_t count;

	check_err(features_pmus(session, &pmus, err), err);
	numbered_names_release(&pmus);
	check_err(features_event_desc(session, &descs, &count, err), err);
	check_err(features_groups(session, &groups, &count, err), err);
	for (size_t i = 0; i < count; i++)
		FUZZ_CHECK(groups[i].leader + (uint64_t)groups[i].members <= 3);
	check_err(features_clock_data(session, &clock, err), err);
	check_err(features_mark_groups(session, err), err);
	check_err(session_names_fill(session, err), err);
	check_err(session_load_build_ids(session, err), err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct session session;
	struct event events[3];
	struct facts facts = { .session = &session };
	struct err err = { 0 };
	struct diag diag;

	if (size < 2)
		return 0;
	diag_init(&diag, print_nothing, NULL);
	session_init(&session, &diag);
	add_events(&session, events);
	session.swap = session.big_endian = data[1] & 1;
	session.features[data[0]].present = true;
	session.features[data[0]].data = data + 2;
	session.features[data[0]].size = size - 2;
	session.features[data[0]].offset = 0x1000;
	check_err(feature_facts(&facts, data[0], &err), &err);
	read_lists(&session, &err);
	if (feature_name(data[0]))
		feature_text(&session, data[0]);
	facts_release(&facts);
	session.events = NULL;
	session_release(&session);
	diag_finish(&diag);
	diag_release(&diag);
	return 0;
}
