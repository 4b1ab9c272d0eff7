/* What faults.c and cuda_faults.c share. */
#ifndef WEIR_TESTS_FAULTS_H
#define WEIR_TESTS_FAULTS_H

#include <stdbool.h>

/* Counts one call of the CUDA runtime. True: it is to fail. Any thread. */
bool weir_fault_cuda_is_due(void);

#endif
