/* Parsers for the options that select and group samples. */
#ifndef READPERF_DECODE_SELECTOPTIONS_H
#define READPERF_DECODE_SELECTOPTIONS_H

#include "decode/options.h"

bool set_event(struct options *options, const char *value, struct err *err);
bool set_comm(struct options *options, const char *value, struct err *err);
bool set_pid(struct options *options, const char *value, struct err *err);
bool set_tid(struct options *options, const char *value, struct err *err);
bool set_cpu(struct options *options, const char *value, struct err *err);
bool set_binary(struct options *options, const char *value, struct err *err);
bool set_function(struct options *options, const char *value, struct err *err);
bool set_mode(struct options *options, const char *value, struct err *err);
bool set_time(struct options *options, const char *value, struct err *err);
bool set_by(struct options *options, const char *value, struct err *err);
bool set_slice(struct options *options, const char *value, struct err *err);
/* Lists the keys of --by, for --help. */
void list_group_keys(char text[OPTION_TEXT_SIZE]);

#endif
