/* Whether a recording has changed since its tables were written, without reading it. */
#ifndef READPERF_DECODE_RUN_FILESTATE_H
#define READPERF_DECODE_RUN_FILESTATE_H

#define FILE_STATE_SIZE 33 /* bytes */

/*
 * A text that changes when a file does: made of its device, number, size and times; of a folder, of
 * those of its files "data*". Empty: it is not there, or may have changed since without a sign of
 * it, as a pipe, or a file that was written only now.
 */
void file_state(const char *path, char state[FILE_STATE_SIZE]);

#endif
