#ifndef TESTS_ATTACH_OPENCL_ORDERS_H
#define TESTS_ATTACH_OPENCL_ORDERS_H

/* One work-group a dispatch. */
#define ORDERS_ITEMS      64
#define ORDERS_ITERATIONS 5

#endif
