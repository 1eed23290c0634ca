/*
 * Names of compiled Java methods, as perf's JVMTI agent and perf inject --jit store them: the
 * descriptor of the class, the method, and the descriptor of its parameters and result. In:
 * "Ljava/lang/String;charAt(I)C". Out: "java.lang.String.charAt(int)", as perf report names it.
 * Rule: Java Virtual Machine Specification, 4.3; no name of C has a semicolon.
 */
#ifndef READPERF_DECODE_SYMBOLS_JAVANAME_H
#define READPERF_DECODE_SYMBOLS_JAVANAME_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the readable name and a NUL to text, which has room for JAVA_NAME_ROOM bytes for each byte
 * of the name. False if it is no such name.
 */
#define JAVA_NAME_ROOM 10
bool java_name_unfold(char *text, const char *name);

#endif
