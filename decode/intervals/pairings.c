#include "decode/intervals/pairings.h"

#include "decode/select/pattern.h"
#include "util/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The known pairings. Of several with one event only the first that the recording has begins of is
 * used: the others are other ways to record the same.
 */
static const struct pairing_rule rules[] = {
	{ LIST_SYSCALLS,
	  "syscall",
	  { "raw_syscalls:sys_enter" },
	  { "raw_syscalls:sys_exit" },
	  JOINED_BY_THREAD,
	  SECOND_REPLACES,
	  .what = WHAT_SYSCALL,
	  .what_field = "id",
	  .place = PLACE_USER,
	  .number = "id",
	  .result = "ret",
	  .advice = "-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit" },
	{ LIST_SYSCALLS,
	  "syscall",
	  { "syscalls:sys_enter_*" },
	  { "syscalls:sys_exit_*" },
	  JOINED_BY_THREAD,
	  SECOND_REPLACES,
	  .what = WHAT_SYSCALL,
	  .what_field = "__syscall_nr",
	  .place = PLACE_USER,
	  .number = "__syscall_nr",
	  .result = "ret" },
	{ LIST_LOCKS,
	  "lock",
	  { "lock:contention_begin" },
	  { "lock:contention_end" },
	  JOINED_BY_THREAD,
	  SECOND_IGNORED,
	  .keys = { "lock_addr" },
	  .what = WHAT_LOCK,
	  .what_field = "flags",
	  .result = "ret",
	  .advice = "-e lock:contention_begin -e lock:contention_end -g" },
	{ LIST_IRQ,
	  "irq",
	  { "irq:irq_handler_entry" },
	  { "irq:irq_handler_exit" },
	  JOINED_BY_CPU,
	  SECOND_REPLACES,
	  .keys = { "irq" },
	  .what = WHAT_FIELD,
	  .what_field = "name",
	  .result = "ret",
	  .cpu_time = CPU_TIME_IRQ,
	  .advice = "-a -e 'irq:*'" },
	{ LIST_IRQ,
	  "softirq",
	  { "irq:softirq_entry" },
	  { "irq:softirq_exit" },
	  JOINED_BY_CPU,
	  SECOND_REPLACES,
	  .keys = { "vec" },
	  .what = WHAT_FIELD,
	  .what_field = "vec",
	  .cpu_time = CPU_TIME_SOFTIRQ,
	  .advice = "-a -e 'irq:*'" },
	{ LIST_IRQ,
	  "softirq-wait",
	  { "irq:softirq_raise" },
	  { "irq:softirq_entry" },
	  JOINED_BY_CPU,
	  SECOND_IGNORED,
	  .keys = { "vec" },
	  .what = WHAT_FIELD,
	  .what_field = "vec",
	  .advice = "-a -e 'irq:*'" },
	{ LIST_WORK,
	  "work",
	  { "workqueue:workqueue_execute_start" },
	  { "workqueue:workqueue_execute_end" },
	  JOINED_BY_THREAD,
	  SECOND_REPLACES,
	  .keys = { "work" },
	  .what = WHAT_FUNCTION,
	  .what_field = "function",
	  .place = PLACE_FUNCTION,
	  .advice = "-a -e 'workqueue:*'" },
	{ LIST_WORK,
	  "work-wait",
	  { "workqueue:workqueue_queue_work" },
	  { "workqueue:workqueue_execute_start" },
	  JOINED_BY_FIELDS,
	  SECOND_IGNORED,
	  .keys = { "work" },
	  .what = WHAT_FUNCTION,
	  .what_field = "function",
	  .place = PLACE_FUNCTION,
	  .advice = "-a -e 'workqueue:*'" },
	{ LIST_WORK,
	  "work-wait",
	  { "workqueue:workqueue_activate_work" },
	  { "workqueue:workqueue_execute_start" },
	  JOINED_BY_FIELDS,
	  SECOND_IGNORED,
	  .keys = { "work" },
	  .what = WHAT_FUNCTION,
	  .what_field = "function",
	  .place = PLACE_FUNCTION },
	{ LIST_BLOCK,
	  "block",
	  { "block:block_rq_issue" },
	  { "block:block_rq_complete" },
	  JOINED_BY_FIELDS,
	  SECOND_REPLACES,
	  .keys = { "dev", "sector" },
	  .what = WHAT_FIELD,
	  .what_field = "rwbs",
	  .result = "error",
	  .advice = "-a -e 'block:*'" },
	{ LIST_BLOCK,
	  "block-queue",
	  { "block:block_rq_insert" },
	  { "block:block_rq_issue" },
	  JOINED_BY_FIELDS,
	  SECOND_IGNORED,
	  .keys = { "dev", "sector" },
	  .what = WHAT_FIELD,
	  .what_field = "rwbs",
	  .advice = "-a -e 'block:*'" },
	{ LIST_BLOCK,
	  "block-io",
	  { "block:block_io_start" },
	  { "block:block_io_done" },
	  JOINED_BY_FIELDS,
	  SECOND_REPLACES,
	  .keys = { "dev", "sector" },
	  .what = WHAT_FIELD,
	  .what_field = "rwbs",
	  .advice = "-a -e 'block:*'" },
	{ LIST_KVM,
	  "kvm-exit",
	  { "kvm:kvm_exit" },
	  { "kvm:kvm_entry" },
	  JOINED_BY_THREAD,
	  SECOND_REPLACES,
	  .what = WHAT_FIELD,
	  .what_field = "exit_reason",
	  .advice = "-a -e kvm:kvm_entry -e kvm:kvm_exit" },
	{ LIST_MEMORY,
	  "alloc",
	  { "kmem:kmalloc*", "kmem:kmem_cache_alloc*" },
	  { "kmem:kfree", "kmem:kmem_cache_free" },
	  JOINED_BY_FIELDS,
	  SECOND_REPLACES,
	  .keys = { "ptr" },
	  .what = WHAT_FUNCTION,
	  .what_field = "call_site",
	  .place = PLACE_FUNCTION,
	  .advice = "-a -e 'kmem:*'" },
	{ LIST_MEMORY,
	  "page",
	  { "kmem:mm_page_alloc" },
	  { "kmem:mm_page_free" },
	  JOINED_BY_FIELDS,
	  SECOND_REPLACES,
	  .keys = { "pfn" },
	  .what = WHAT_ORDER,
	  .what_field = "order",
	  .advice = "-a -e 'kmem:*'" },
};

/* Pairs that end in another thread by nature, so that threads do not join them. */
static const char *const not_pairs[] = { "block:block_io_*", "*:clk_*", "*:dma_fence_*" };

static const struct {
	const char *begin, *end;
} suffixes[] = {
	{ "_enter", "_exit" }, { "_entry", "_exit" }, { "_begin", "_end" },
	{ "_start", "_end" },  { "_start", "_done" }, { "_start", "_complete" },
	{ "", "__return" },
};

struct finder {
	struct pairings *pairings;
	const struct interval_request *request;
	struct formats *formats;
	struct session *session;
	struct err *err;
	bool half;                  /* the last pairing has only begins, or only ends */
	bool sampled;               /* an event of the pairing at hand is not recorded every time */
	struct lacking_event lacks; /* the last one of the pairing at hand */
};

void pairings_release(struct pairings *pairings)
{
	free(pairings->items);
	free(pairings->roles);
	free(pairings->first);
	*pairings = (struct pairings){ .count = 0 };
}

static bool matches(const char *const globs[2], const char *name)
{
	for (size_t i = 0; i < 2 && globs[i]; i++)
		if (pattern_matches(globs[i], name))
			return true;
	return false;
}

/* The name of a recorded tracepoint, or NULL. */
static const char *tracepoint(const struct finder *finder, uint32_t event)
{
	const struct event *recorded = &finder->session->events[event];

	return recorded->attr.type == PERF_TYPE_TRACEPOINT && !recorded->derived ? recorded->name
	                                                                         : NULL;
}

/* The number of keys; those of the end are the same unless the rule says otherwise. */
static unsigned key_count(const struct pairing_rule *rule)
{
	unsigned count = 0;

	while (count < PAIRING_KEYS_MOST && rule->keys[count])
		count++;
	return count;
}

/* The role of an event by a rule; false if the event lacks a field of a key, or err is set. */
static bool make_role(struct finder *finder, uint32_t event, const struct pairing_rule *rule,
                      bool ends, struct pairing_role *role)
{
	const char *const *keys = ends && rule->end_keys[0] ? rule->end_keys : rule->keys;
	const struct event_format *found = formats_of(finder->formats, event, finder->err);
	const struct format *format = found ? &found->format : NULL;

	*role = (struct pairing_role){ .event = event, .ends = ends, .key_count = key_count(rule) };
	if (!format)
		return false;
	for (unsigned i = 0; i < role->key_count; i++) {
		struct role_key *key = &role->keys[i];

		key->field = format_find(format, keys[i]);
		key->is_cpu = !key->field && strcmp(keys[i], "cpu") == 0;
		key->is_thread = !key->field && strcmp(keys[i], "tid") == 0;
		if (!key->field && !key->is_cpu && !key->is_thread) {
			finder->lacks = (struct lacking_event){ tracepoint(finder, event),
				                                keys[i] };
			return false;
		}
	}
	role->number = rule->number ? format_find(format, rule->number) : NULL;
	role->what = rule->what_field ? format_find(format, rule->what_field) : NULL;
	role->result = ends && rule->result ? format_find(format, rule->result) : NULL;
	return true;
}

/* Appends the role, if every event is recorded; otherwise notes that they are sampled. */
static bool add_role(struct finder *finder, struct pairing_role *role)
{
	struct pairings *pairings = finder->pairings;
	const struct event *event = &finder->session->events[role->event];

	if (!attr_is_complete(&event->attr)) {
		pairings->sampled = event->name;
		finder->sampled = true;
		return true;
	}
	return vec_append(&pairings->roles, &pairings->role_count, &pairings->role_capacity, role,
	                  sizeof(*role), finder->err);
}

/* Appends a pairing, for which roles follow; its event is added when it has a begin and an end. */
static uint32_t add_pairing(struct finder *finder, const struct pairing *pairing)
{
	struct pairings *pairings = finder->pairings;

	finder->sampled = false;
	return vec_append(&pairings->items, &pairings->count, &pairings->capacity, pairing,
	                  sizeof(*pairing), finder->err)
	               ? (uint32_t)pairings->count - 1
	               : PAIRING_NONE;
}

/* Drops the last pairing again if it lacks begins or ends, or some of them; otherwise adds its
 * event. */
static bool settle_pairing(struct finder *finder, size_t first_role, bool *met)
{
	struct pairings *pairings = finder->pairings;
	struct pairing *pairing = &pairings->items[pairings->count - 1];
	bool begins = false, ends = false;

	for (size_t i = first_role; i < pairings->role_count; i++) {
		begins |= !pairings->roles[i].ends;
		ends |= pairings->roles[i].ends;
	}
	*met = begins && ends && !finder->sampled;
	finder->half = begins != ends;
	if (*met) {
		pairing->number = session_add_derived(finder->session, pairing->event, finder->err);
		return pairing->number != EVENT_UNKNOWN;
	}
	pairings->count--;
	pairings->role_count = first_role;
	return true;
}

/* Adds the roles that an event has by a rule, for the pairing with this number. */
static bool add_roles(struct finder *finder, uint32_t event, const struct pairing_rule *rule,
                      uint32_t number)
{
	const char *name = tracepoint(finder, event);
	struct pairing_role role;

	for (int ends = 1; name && ends >= 0; ends--) {
		if (!matches(ends ? rule->end : rule->begin, name) ||
		    !make_role(finder, event, rule, ends, &role))
			continue;
		role.pairing = number;
		if (rule->what == WHAT_FIELD && role.what && role.what->is_function)
			finder->pairings->items[number].what = WHAT_FUNCTION;
		if (!add_role(finder, &role))
			return false;
	}
	return finder->err->code == ERR_NONE;
}

static bool find_rule(struct finder *finder, const struct pairing_rule *rule, bool *met)
{
	const struct pairing pairing = { .event = rule->event,
		                         .list = rule->list,
		                         .scope = rule->scope,
		                         .second = rule->second,
		                         .what = rule->what,
		                         .place = rule->place,
		                         .cpu_time = rule->cpu_time };
	const size_t first_role = finder->pairings->role_count;
	const uint32_t number = add_pairing(finder, &pairing);
	const size_t count = finder->session->event_count;

	if (number == PAIRING_NONE)
		return false;
	for (uint32_t event = 0; event < count; event++)
		if (!add_roles(finder, event, rule, number))
			return false;
	return settle_pairing(finder, first_role, met);
}

/* Whether an earlier rule of the same event was met. */
static bool is_found(const struct pairings *pairings, const char *event)
{
	for (size_t i = 0; i < pairings->count; i++)
		if (strcmp(pairings->items[i].event, event) == 0)
			return true;
	return false;
}

static bool find_rules(struct finder *finder)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		bool met = false;

		if (!(finder->request->lists >> rules[i].list & 1) ||
		    is_found(finder->pairings, rules[i].event))
			continue;
		if (!find_rule(finder, &rules[i], &met))
			return false;
		if (met)
			finder->pairings->lists_met |= 1u << rules[i].list;
		if (finder->half)
			finder->pairings->lists_half |= 1u << rules[i].list;
	}
	return true;
}

static bool is_event(const struct session *session, const char *name)
{
	for (size_t i = 0; i < session->event_count; i++)
		if (session->events[i].name && strcmp(session->events[i].name, name) == 0)
			return true;
	return false;
}

static bool find_own(struct finder *finder, size_t own_number)
{
	const struct own_pairing *own = &finder->request->own[own_number];
	struct pairings *pairings = finder->pairings;
	const size_t first_role = pairings->role_count;
	struct pairing_rule rule = { .list = LIST_PAIRS,
		                     .event = own->name,
		                     .begin = { own->begin },
		                     .end = { own->end },
		                     .scope = own->key_count ? JOINED_BY_FIELDS : JOINED_BY_THREAD,
		                     .second = own->key_count ? SECOND_REPLACES : SECOND_NESTS };

	for (unsigned i = 0; i < own->key_count; i++) {
		rule.keys[i] = own->begin_keys[i];
		rule.end_keys[i] = own->end_keys[i];
	}
	if (*own->what) {
		rule.what = WHAT_FIELD;
		rule.what_field = own->what;
	}
	pairings->own_namesake[own_number] = is_event(finder->session, own->name);
	pairings->own_nameless[own_number] = rule.what_field;
	finder->lacks.field = NULL;
	if (!find_rule(finder, &rule, &pairings->own_met[own_number]))
		return false;
	pairings->own_lacks[own_number] = finder->lacks;
	for (size_t i = first_role; i < pairings->role_count; i++)
		if (!pairings->roles[i].ends && pairings->roles[i].what)
			pairings->own_nameless[own_number] = false;
	return true;
}

/* Whether the event is part of a known pairing, or no pair of one thread. */
static bool is_taken(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (matches(rules[i].begin, name) || matches(rules[i].end, name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(not_pairs); i++)
		if (pattern_matches(not_pairs[i], name))
			return true;
	return false;
}

/* The recorded event that ends what this one begins, or EVENT_UNKNOWN; *length: of SYSTEM:X. */
static uint32_t find_partner(const struct finder *finder, const char *name, size_t *length)
{
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		const size_t size = strlen(name), cut = strlen(suffixes[i].begin);

		*length = size - cut;
		if (size <= cut || strcmp(name + *length, suffixes[i].begin) != 0)
			continue;
		for (uint32_t event = 0; event < finder->session->event_count; event++) {
			const char *other = tracepoint(finder, event);

			if (other && strncmp(other, name, *length) == 0 &&
			    strcmp(other + *length, suffixes[i].end) == 0 && !is_taken(other))
				return event;
		}
	}
	return EVENT_UNKNOWN;
}

static bool add_pair(struct finder *finder, uint32_t begin, uint32_t end, size_t length)
{
	const struct event *events = finder->session->events;
	const struct pairing_rule rule = { .list = LIST_PAIRS,
		                           .event = arena_text(&finder->session->arena,
		                                               events[begin].name, length,
		                                               finder->err),
		                           .begin = { events[begin].name },
		                           .end = { events[end].name },
		                           .scope = JOINED_BY_THREAD,
		                           .second = SECOND_NESTS };
	bool met = false, namesake = rule.event && is_event(finder->session, rule.event);

	if (!rule.event || !find_rule(finder, &rule, &met))
		return false;
	if (met)
		finder->pairings->lists_met |= 1u << LIST_PAIRS;
	if (met && namesake)
		finder->pairings->namesake = (struct namesake_pair){ rule.event, events[begin].name,
			                                             events[end].name };
	return true;
}

static bool find_pairs(struct finder *finder)
{
	const size_t count = finder->session->event_count;

	for (uint32_t event = 0; event < count; event++) {
		const char *name = tracepoint(finder, event);
		size_t length;
		uint32_t end;

		if (!name || is_taken(name))
			continue;
		end = find_partner(finder, name, &length);
		if (end != EVENT_UNKNOWN && !add_pair(finder, event, end, length))
			return false;
	}
	return true;
}

static int compare_roles(const void *a, const void *b)
{
	const struct pairing_role *x = a, *y = b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->ends != y->ends)
		return x->ends ? -1 : 1;
	return (x->pairing > y->pairing) - (x->pairing < y->pairing);
}

/* Makes the roles of an event be found by its number. */
static bool index_roles(struct pairings *pairings, size_t event_count, struct err *err)
{
	size_t role = 0;

	if (pairings->role_count)
		qsort(pairings->roles, pairings->role_count, sizeof(*pairings->roles),
		      compare_roles);
	pairings->first = vec_new(event_count + 1, sizeof(*pairings->first), err);
	if (!pairings->first)
		return false;
	pairings->event_count = event_count;
	for (uint32_t event = 0; event <= event_count; event++) {
		while (role < pairings->role_count && pairings->roles[role].event < event)
			role++;
		pairings->first[event] = (uint32_t)role;
	}
	return true;
}

bool pairings_find(struct pairings *pairings, const struct interval_request *request,
                   struct formats *formats, struct err *err)
{
	struct finder finder = { .pairings = pairings,
		                 .request = request,
		                 .formats = formats,
		                 .session = formats->session,
		                 .err = err };
	const size_t recorded = formats->session->event_count;
	bool ok = find_rules(&finder);

	for (size_t i = 0; ok && i < request->own_count; i++)
		ok = find_own(&finder, i);
	return ok && (!(request->lists >> LIST_PAIRS & 1) || find_pairs(&finder)) &&
	       index_roles(pairings, recorded, err);
}

static void report_own(const struct pairings *pairings, size_t number,
                       const struct own_pairing *own, struct diag *diag)
{
	const struct lacking_event *lacks = &pairings->own_lacks[number];

	if (!pairings->own_met[number] && lacks->field)
		diag_warn_about(diag, (struct diag_about){ .subject = own->name },
		                "--intervals=%s: %s has no field %s", own->name, lacks->event,
		                lacks->field);
	else if (!pairings->own_met[number] && !pairings->sampled)
		diag_warn_about(
			diag, (struct diag_about){ .subject = own->name },
			"--intervals=%s: no recorded events with these names: record with perf "
			"record -e '%s' -e '%s'",
			own->name, own->begin, own->end);
	if (pairings->own_met[number] && pairings->own_namesake[number])
		diag_warn_about(
			diag, (struct diag_about){ .subject = own->name },
			"--intervals=%s: another event is called %s: give the pairing its own name",
			own->name, own->name);
	if (pairings->own_met[number] && pairings->own_nameless[number])
		diag_warn_about(diag, (struct diag_about){ .subject = own->name },
		                "--intervals=%s: no event that begins has a field %s", own->name,
		                own->what);
}

/* What to record for the intervals of a list; NULL: many things. */
static const char *advice_for(unsigned list)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].list == list && rules[i].advice)
			return rules[i].advice;
	return NULL;
}

/* Warns of a list of which there are no intervals. */
static void report_list(unsigned list, bool half, struct diag *diag)
{
	const char *advice = advice_for(list), *name = interval_list_at(NULL, list);

	if (advice)
		diag_warn_about(diag, (struct diag_about){ .subject = name },
		                "--intervals=%s: %s: record with perf record %s", name,
		                half ? "only begins or only ends are recorded" : "no such records",
		                advice);
	else
		diag_warn(diag, ERR_NO_OFFSET,
		          "--intervals=pairs: no two recorded events are the begin and the end "
		          "of something: record both, as in perf record -e 'ext4:*_enter' -e "
		          "'ext4:*_exit'");
}

void pairings_report(const struct pairings *pairings, const struct interval_request *request,
                     struct diag *diag)
{
	const unsigned asked = request->all ? pairings->lists_half : request->lists;
	const struct namesake_pair *namesake = &pairings->namesake;

	if (pairings->sampled)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"not every %s is recorded, so that no intervals can be made of it: give the "
			"frequency to the clock alone, as in perf record -e cpu-clock/freq=999/ -e %s",
			pairings->sampled, pairings->sampled);
	for (unsigned list = 0; list < LIST_COUNT && !pairings->sampled; list++)
		if (asked >> list & 1 && !(pairings->lists_met >> list & 1) && list != LIST_SCHED &&
		    list != LIST_WALL)
			report_list(list, pairings->lists_half >> list & 1, diag);
	if (namesake->event)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"two events are called %s, one of them the time from %s to %s: comparisons "
			"add them up, unless that has a name of its own, as in "
			"--intervals='NAME=%s..%s'",
			namesake->event, namesake->begin, namesake->end, namesake->begin,
			namesake->end);
	for (size_t i = 0; i < request->own_count; i++)
		report_own(pairings, i, &request->own[i], diag);
}
