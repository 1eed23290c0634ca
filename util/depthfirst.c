#include "util/depthfirst.h"

#include <stdlib.h>

bool depth_first_init(struct depth_first *order, size_t count, struct err *err)
{
	order->sizes = calloc(count + 1, sizeof(*order->sizes));
	order->next = calloc(count + 1, sizeof(*order->next));
	return (order->sizes && order->next) || err_nomem(err, 2 * count * sizeof(*order->next));
}

void depth_first_release(struct depth_first *order)
{
	free(order->sizes);
	free(order->next);
	order->sizes = order->next = NULL;
}
