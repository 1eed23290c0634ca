#include "decode/tally/choice.h"

#include "perffile/record/sample.h"

#include <string.h>

static void init_groups(struct groups *groups, unsigned keys)
{
	groups->keys = keys & ((1u << KEY_SAMPLE_END) - 1);
	for (unsigned key = 0; key < KEY_SAMPLE_END; key++) {
		if (!groups_have(groups, (enum group_key)key))
			continue;
		groups->key_of[groups->width] = (uint8_t)key;
		groups->word_of[key] = (uint8_t)groups->width++;
	}
	tuples_init(&groups->tuples, groups->width * sizeof(uint64_t));
}

bool choice_init(struct choice *choice, const struct choice_options *options,
                 struct session *session, struct strings *strings, struct err *err)
{
	memset(choice, 0, sizeof(*choice));
	choice->options = *options;
	init_groups(&choice->groups, options->keys);
	init_groups(&choice->apart, options->apart_keys);
	init_groups(&choice->latency, options->latency_keys);
	choice->reads_fields = options->fields && !field_request_is_empty(options->fields);
	return field_choice_init(&choice->fields, options->fields, session, strings, err) &&
	       selection_init(&choice->selection, options->request, strings, err);
}

void choice_release(struct choice *choice)
{
	selection_release(&choice->selection);
	field_choice_release(&choice->fields);
	tuples_release(&choice->groups.tuples);
	tuples_release(&choice->apart.tuples);
	tuples_release(&choice->latency.tuples);
	sums_release(&choice->sums);
	memset(choice, 0, sizeof(*choice));
}

static uint64_t slice_of(const struct choice *choice, uint64_t time)
{
	uint64_t width = time_width(&choice->options.slice, &choice->bounds);

	return time == TIME_NONE ? WORD_NONE : (time - u64_min(time, choice->bounds.first)) / width;
}

uint64_t choice_slice_start(const struct choice *choice, uint64_t slice)
{
	return choice->bounds.first + slice * time_width(&choice->options.slice, &choice->bounds);
}

bool choice_has_key(const struct choice *choice, enum group_key key)
{
	return groups_have(&choice->groups, key) || groups_have(&choice->apart, key) ||
	       groups_have(&choice->latency, key);
}

static bool has_slices(const struct choice *choice)
{
	return choice_has_key(choice, KEY_TIME);
}

/* The greatest power of two that is not above it; 0 of 0. */
static uint64_t power_below(uint64_t number)
{
	return number ? (uint64_t)1 << (63 - __builtin_clzll(number)) : 0;
}

/* The word of a key of a sample. */
static uint64_t word_of(const struct choice *choice, const struct counted_sample *sample,
                        unsigned key)
{
	const struct select_sample *about = &sample->about;

	switch (key) {
	case KEY_PID:
		return (uint64_t)(int64_t)about->pid;
	case KEY_TID:
		return (uint64_t)(int64_t)about->tid;
	case KEY_COMM:
		return about->comm;
	case KEY_THREAD:
		return sample->thread;
	case KEY_CPU:
		return about->cpu == -1 ? WORD_NONE : (uint64_t)about->cpu;
	case KEY_MODE:
		return about->mode;
	case KEY_CGROUP:
		return sample->cgroup == STRING_NONE ? WORD_NONE : sample->cgroup;
	case KEY_TIME:
		return slice_of(choice, about->time);
	case KEY_WHAT:
		return sample->what;
	case KEY_RESULT:
		return sample->result;
	case KEY_WAKER:
		return sample->waker;
	case KEY_DURATION:
		return sample->has_duration ? power_below(sample->duration) : WORD_NONE;
	case KEY_PARALLELISM:
		return sample->parallelism ? sample->parallelism : WORD_NONE;
	case KEY_PROCESS:
		return sample->process;
	default:
		return sample->fields[key - KEY_FIELD];
	}
}

/*
 * The group of a sample; MAP_NONE with err set. Comparing with one that came last saves the hash of
 * its words for nearly all samples.
 */
static uint32_t find_group(const struct choice *choice, struct groups *groups,
                           const struct counted_sample *sample, struct err *err)
{
	uint64_t words[KEY_SAMPLE_END], mix = 0;
	uint32_t *recent, group;

	if (!groups->width)
		return GROUP_ALL;
	for (unsigned i = 0; i < groups->width; i++) {
		words[i] = word_of(choice, sample, groups->key_of[i]);
		mix = (mix ^ words[i]) * 0x9e3779b97f4a7c15u;
	}
	recent = &groups->recent[(mix >> 32) % GROUPS_RECENT];
	if (*recent && memcmp(tuples_get(&groups->tuples, *recent - 1), words,
	                      groups->width * sizeof(*words)) == 0)
		return *recent - 1;
	group = tuples_put(&groups->tuples, words, err);
	*recent = group + 1;
	return group;
}

struct choice_alike choice_alike_fields(const struct choice *choice)
{
	const struct selection *selection = &choice->selection;
	const unsigned keys = choice->groups.keys | choice->apart.keys;
	struct choice_alike alike = {
		.single = (keys >> KEY_CGROUP & 1) || choice->reads_fields,
		.tid = selection_has(selection, SELECT_TID) || keys >> KEY_TID & 1 ||
		       keys >> KEY_THREAD & 1,
		.cpu = selection_has(selection, SELECT_CPU) || keys >> KEY_CPU & 1,
		.mode = selection_has(selection, SELECT_MODE) || keys >> KEY_MODE & 1,
		.binary = selection_has(selection, SELECT_BINARY),
		.time = has_slices(choice) || selection_has(selection, SELECT_TIME),
	};

	return alike;
}

/* Sets [*from, *until) to the times around a sample's time that make no difference. */
static void time_window(const struct choice *choice, uint64_t time, uint64_t *from, uint64_t *until)
{
	*from = 0;
	*until = TIME_NONE;
	if (has_slices(choice)) {
		*from = choice_slice_start(choice, slice_of(choice, time));
		*until = u64_add_sat(*from, time_width(&choice->options.slice, &choice->bounds));
	}
	selection_time_window(&choice->selection, time, &choice->bounds, from, until);
}

size_t choice_run(struct choice *choice, const struct placed_samples *all)
{
	const struct choice_alike alike = choice_alike_fields(choice);
	const struct sample *first = all->samples;
	const struct placed *placed = all->placed;
	uint64_t from = 0, until = UINT64_MAX;
	size_t run;

	if (alike.single)
		return 1;
	if (alike.time)
		time_window(choice, first->time, &from, &until);
	for (run = 1; run < all->count; run++) {
		const struct sample *other = &first[run];

		if (placed[run].process != placed->process || other->event != first->event ||
		    (alike.tid && other->tid != first->tid) ||
		    (alike.cpu && other->cpu != first->cpu) ||
		    (alike.mode && other->misc != first->misc) ||
		    (alike.binary && placed[run].binary != placed->binary) || other->time < from ||
		    other->time >= until)
			break;
	}
	return run;
}

bool choice_passes(struct choice *choice, const struct counted_sample *sample, struct err *err)
{
	struct selection *selection = &choice->selection;

	return (!selection->fields || selection_passes(selection, &sample->about, err)) &&
	       (!selection_has(selection, SELECT_TIME) ||
	        selection_time_passes(selection, sample->about.time, &choice->bounds));
}

bool choice_has_what_alone(const struct choice *choice)
{
	return choice->options.latency_keys == 1u << KEY_WHAT;
}

uint32_t choice_what(struct choice *choice, uint64_t what, struct err *err)
{
	return tuples_put(&choice->latency.tuples, &what, err);
}

uint32_t choice_latency(struct choice *choice, const struct counted_sample *sample, struct err *err)
{
	return find_group(choice, &choice->latency, sample, err);
}

uint32_t choice_take(struct choice *choice, const struct counted_sample *sample, struct err *err)
{
	const uint32_t apart = find_group(choice, &choice->apart, sample, err);

	if (apart == MAP_NONE ||
	    (choice->apart.width && !sums_add(&choice->sums, apart, sample->event,
	                                      sample->about.count, sample->period, err)))
		return GROUP_OUT;
	return find_group(choice, &choice->groups, sample, err);
}
