/*
 * The ELF file of the code that the kernel maps into every process. Enters: the binary "[vdso]" or
 * one of its kinds. Leaves: the file, from the build-id cache, else our own process's image if it
 * is the recorded one.
 */
#ifndef READPERF_DECODE_FILES_VDSOFILE_H
#define READPERF_DECODE_FILES_VDSOFILE_H

#include "decode/files/located.h"

/*
 * False if there is none; err is set only when memory is refused. same_kernel: the recorded kernel
 * is of the running one's release, which is proof where no build id was recorded. elf_close() after
 * success.
 */
bool vdso_file_open(struct elf *elf, const struct binary *binary,
                    const struct file_options *options, bool same_kernel, struct err *err);

#endif
