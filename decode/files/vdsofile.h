/*
 * The ELF file of the vdso. In: the binary "[vdso]" or one of its variants. Out: the file, from the
 * build-id cache, or from our own process if that has the recorded one.
 */
#ifndef READPERF_DECODE_FILES_VDSOFILE_H
#define READPERF_DECODE_FILES_VDSOFILE_H

#include "decode/files/locate.h"

/*
 * False if there is none. same_kernel: the recorded kernel has the release of the running one,
 * which is proof if no build id was recorded. Call elf_close() after success.
 */
bool vdso_file_open(struct elf *elf, const struct binary *binary,
                    const struct file_options *options, bool same_kernel, struct err *err);

#endif
