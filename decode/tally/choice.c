#include "decode/tally/choice.h"

#include "perffile/record/sample.h"

#include <string.h>

static void init_groups(struct groups *groups, unsigned keys)
{
	groups->keys = keys & ((1u << KEY_SAMPLE_END) - 1);
	for (unsigned key = 0; key < KEY_SAMPLE_END; key++)
		if (groups_have(groups, (enum group_key)key))
			groups->word_of[key] = (uint8_t)groups->width++;
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

	return time == TIME_NONE ? WORD_NONE : (time - choice->bounds.first) / width;
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

/* Sets the words of all keys of a sample. */
static void fill_words(const struct choice *choice, const struct counted_sample *sample,
                       uint64_t words[KEY_SAMPLE_END])
{
	const struct select_sample *about = &sample->about;

	words[KEY_PID] = (uint64_t)(int64_t)about->pid;
	words[KEY_TID] = (uint64_t)(int64_t)about->tid;
	words[KEY_COMM] = about->comm;
	words[KEY_THREAD] = sample->thread;
	words[KEY_CPU] = about->cpu == -1 ? WORD_NONE : (uint64_t)about->cpu;
	words[KEY_MODE] = about->mode;
	words[KEY_CGROUP] = sample->cgroup == STRING_NONE ? WORD_NONE : sample->cgroup;
	words[KEY_TIME] = has_slices(choice) ? slice_of(choice, about->time) : WORD_NONE;
	words[KEY_WHAT] = sample->what;
	words[KEY_RESULT] = sample->result;
	words[KEY_WAKER] = sample->waker;
	words[KEY_DURATION] = sample->has_duration ? power_below(sample->duration) : WORD_NONE;
	words[KEY_PARALLELISM] = sample->parallelism ? sample->parallelism : WORD_NONE;
	words[KEY_PROCESS] = sample->process;
	for (unsigned i = 0; i < FIELD_KEYS_MOST; i++)
		words[KEY_FIELD + i] = sample->fields[i];
}

/* The group of a sample, given the words of all keys. MAP_NONE with err set. */
static uint32_t find_group(struct groups *groups, const uint64_t all[KEY_SAMPLE_END],
                           struct err *err)
{
	uint64_t words[KEY_SAMPLE_END];

	if (!groups->width)
		return GROUP_ALL;
	for (unsigned key = 0; key < KEY_SAMPLE_END; key++)
		if (groups_have(groups, (enum group_key)key))
			words[groups->word_of[key]] = all[key];
	return tuples_put(&groups->tuples, words, err);
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

size_t choice_run(struct choice *choice, const struct sample *samples, const struct placed *placed,
                  size_t count)
{
	const struct choice_alike alike = choice_alike_fields(choice);
	const struct sample *first = &samples[0];
	uint64_t from = 0, until = UINT64_MAX;
	size_t run;

	if (alike.single)
		return 1;
	if (alike.time)
		time_window(choice, first->time, &from, &until);
	for (run = 1; run < count; run++) {
		const struct sample *other = &samples[run];

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
	uint64_t words[KEY_SAMPLE_END];

	fill_words(choice, sample, words);
	return find_group(&choice->latency, words, err);
}

uint32_t choice_take(struct choice *choice, const struct counted_sample *sample, struct err *err)
{
	uint64_t words[KEY_SAMPLE_END];
	uint32_t apart;

	fill_words(choice, sample, words);
	apart = find_group(&choice->apart, words, err);
	if (apart == MAP_NONE ||
	    (choice->apart.width && !sums_add(&choice->sums, apart, sample->event,
	                                      sample->about.count, sample->period, err)))
		return GROUP_OUT;
	return find_group(&choice->groups, words, err);
}
