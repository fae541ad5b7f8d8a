/* Open MPI's op.h asks for this header, and its own installation leaves it out. Fortran's INTEGER is C's int here; with another
 * one only user-defined Fortran operations use these, and they run inside Open MPI, not in this component. */
#ifndef STEPCCL_COMPAT_FINT_2_INT_H
#define STEPCCL_COMPAT_FINT_2_INT_H

#define OMPI_INT_2_FINT(value) ((MPI_Fint)(value))
#define OMPI_FINT_2_INT(value) ((int)(value))

#endif
