#include "decode/selectoptions.h"

bool set_event(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_EVENT, value, err);
}

bool set_comm(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_COMM, value, err);
}

bool set_pid(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_PID, value, err);
}

bool set_tid(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_TID, value, err);
}

bool set_cpu(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_CPU, value, err);
}

bool set_binary(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_BINARY, value, err);
}

bool set_function(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_FUNCTION, value, err);
}

bool set_mode(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_MODE, value, err);
}

bool set_time(struct options *options, const char *value, struct err *err)
{
	return select_request_add(&options->select, SELECT_TIME, value, err);
}

bool set_by(struct options *options, const char *value, struct err *err)
{
	return group_tables_add(&options->groups, value, err);
}

bool set_slice(struct options *options, const char *value, struct err *err)
{
	return time_width_parse(&options->groups.slice, value, err);
}

void list_group_keys(char text[OPTION_TEXT_SIZE])
{
	group_keys_list(text, OPTION_TEXT_SIZE);
}
