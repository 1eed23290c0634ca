/*
 * A comparison in the page of --report, in the form of a recording: a row for each event and
 * function of the merged call tree, with what it costs on either side instead of samples.
 *
 * In:  a comparison.
 * Out: samples without times, whose weight is the cost on the new side and whose base is that on
 *      the base side; the tree of their functions. Costs are means of a side's runs, scaled, as
 *      -t flame has them. Without call chains, each function is a stack of its own.
 */
#ifndef READPERF_DECODE_EXPORTS_PAGECOMPARE_H
#define READPERF_DECODE_EXPORTS_PAGECOMPARE_H

#include "decode/exports/pagetree.h"

/*
 * report: of a comparison. False with err set when memory is refused; page_tree_release() and
 * page_samples_release() in any case.
 */
bool page_compared_make(struct page_samples *samples, struct page_tree *tree,
                        const struct report *report, struct err *err);

#endif
