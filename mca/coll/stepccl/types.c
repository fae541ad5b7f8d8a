#include "coll_stepccl.h"

/* Open MPI's predefined types and operations in StepCCL's words. Sizes are asked for, as those of Fortran's types
 * depend on its compiler. */

enum type_class { no_class, signed_class, unsigned_class, float_class, complex_class, bool_class };

static const struct {
    ompi_datatype_t* type;
    enum type_class type_class;
} sized[] = {
    {MPI_CHAR, signed_class},
    {MPI_SIGNED_CHAR, signed_class},
    {MPI_SHORT, signed_class},
    {MPI_INT, signed_class},
    {MPI_LONG, signed_class},
    {MPI_LONG_LONG, signed_class},
    {MPI_INT8_T, signed_class},
    {MPI_INT16_T, signed_class},
    {MPI_INT32_T, signed_class},
    {MPI_INT64_T, signed_class},
    {MPI_AINT, signed_class},
    {MPI_OFFSET, signed_class},
    {MPI_COUNT, signed_class},
    {MPI_INTEGER, signed_class},
    {MPI_INTEGER1, signed_class},
    {MPI_INTEGER2, signed_class},
    {MPI_INTEGER4, signed_class},
    {MPI_INTEGER8, signed_class},
    {MPI_BYTE, unsigned_class},
    {MPI_UNSIGNED_CHAR, unsigned_class},
    {MPI_UNSIGNED_SHORT, unsigned_class},
    {MPI_UNSIGNED, unsigned_class},
    {MPI_UNSIGNED_LONG, unsigned_class},
    {MPI_UNSIGNED_LONG_LONG, unsigned_class},
    {MPI_UINT8_T, unsigned_class},
    {MPI_UINT16_T, unsigned_class},
    {MPI_UINT32_T, unsigned_class},
    {MPI_UINT64_T, unsigned_class},
    {MPI_FLOAT, float_class},
    {MPI_DOUBLE, float_class},
    {MPI_REAL, float_class},
    {MPI_REAL4, float_class},
    {MPI_REAL8, float_class},
    {MPI_DOUBLE_PRECISION, float_class},
#ifdef MPIX_SHORT_FLOAT
    {MPIX_SHORT_FLOAT, float_class},
#endif
    {MPI_C_FLOAT_COMPLEX, complex_class},
    {MPI_C_DOUBLE_COMPLEX, complex_class},
    {MPI_CXX_FLOAT_COMPLEX, complex_class},
    {MPI_CXX_DOUBLE_COMPLEX, complex_class},
    {MPI_COMPLEX, complex_class},
    {MPI_COMPLEX8, complex_class},
    {MPI_COMPLEX16, complex_class},
    {MPI_DOUBLE_COMPLEX, complex_class},
    {MPI_C_BOOL, bool_class},
    {MPI_CXX_BOOL, bool_class},
};

static const struct {
    enum type_class type_class;
    size_t size;
    stepccl_datatype_t word;
} words[] = {
    {signed_class, 1, stepccl_int8},         {signed_class, 2, stepccl_int16},    {signed_class, 4, stepccl_int32},
    {signed_class, 8, stepccl_int64},        {unsigned_class, 1, stepccl_uint8},  {unsigned_class, 2, stepccl_uint16},
    {unsigned_class, 4, stepccl_uint32},     {unsigned_class, 8, stepccl_uint64}, {float_class, 2, stepccl_float16},
    {float_class, 4, stepccl_float32},       {float_class, 8, stepccl_float64},   {complex_class, 8, stepccl_complex64},
    {complex_class, 16, stepccl_complex128}, {bool_class, 1, stepccl_bool8},
};

/* Value and index: the distance between two of them must be StepCCL's, padding included. */
static const struct {
    ompi_datatype_t* type;
    stepccl_datatype_t word;
} pairs[] = {
    {MPI_FLOAT_INT, stepccl_float_int}, {MPI_DOUBLE_INT, stepccl_double_int}, {MPI_LONG_INT, stepccl_long_int},
    {MPI_2INT, stepccl_int_int},        {MPI_SHORT_INT, stepccl_short_int},
};

static int word_of_id[OMPI_DATATYPE_MAX_PREDEFINED]; /* -1 for none */
static bool is_filled;

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static void set_word(const ompi_datatype_t* type, stepccl_datatype_t word) {
    if (type->id >= 0 && type->id < OMPI_DATATYPE_MAX_PREDEFINED) word_of_id[type->id] = (int)word;
}

/* With the first communicator, which MPI_Init makes: when components are opened, Open MPI 5 has not made the pairs yet.
 */
void coll_stepccl_types_init(void) {
    if (is_filled) return;
    is_filled = true;
    for (size_t i = 0; i < LENGTH(word_of_id); ++i) word_of_id[i] = -1;
    for (size_t i = 0; i < LENGTH(sized); ++i) {
        for (size_t j = 0; j < LENGTH(words); ++j) {
            if (words[j].type_class == sized[i].type_class && words[j].size == sized[i].type->super.size) {
                set_word(sized[i].type, words[j].word);
            }
        }
    }
    for (size_t i = 0; i < LENGTH(pairs); ++i) {
        ptrdiff_t extent = pairs[i].type->super.ub - pairs[i].type->super.lb;
        if (extent == (ptrdiff_t)stepccl_datatype_size(pairs[i].word)) set_word(pairs[i].type, pairs[i].word);
    }
}

bool coll_stepccl_type_of(const ompi_datatype_t* type, stepccl_datatype_t* out) {
    /* A duplicate or a resized type keeps the id of its origin: only the flag tells. */
    if (!ompi_datatype_is_predefined(type) || type->id < 0 || type->id >= OMPI_DATATYPE_MAX_PREDEFINED) return false;
    if (word_of_id[type->id] < 0) return false;
    *out = (stepccl_datatype_t)word_of_id[type->id];
    return true;
}

bool coll_stepccl_op_of(const ompi_op_t* op, stepccl_op_t* out) {
    static const struct {
        int index;
        stepccl_op_t word;
    } ops[] = {
        {OMPI_OP_BASE_FORTRAN_SUM, stepccl_sum},       {OMPI_OP_BASE_FORTRAN_MAX, stepccl_max},
        {OMPI_OP_BASE_FORTRAN_MIN, stepccl_min},       {OMPI_OP_BASE_FORTRAN_PROD, stepccl_prod},
        {OMPI_OP_BASE_FORTRAN_LAND, stepccl_land},     {OMPI_OP_BASE_FORTRAN_BAND, stepccl_band},
        {OMPI_OP_BASE_FORTRAN_LOR, stepccl_lor},       {OMPI_OP_BASE_FORTRAN_BOR, stepccl_bor},
        {OMPI_OP_BASE_FORTRAN_LXOR, stepccl_lxor},     {OMPI_OP_BASE_FORTRAN_BXOR, stepccl_bxor},
        {OMPI_OP_BASE_FORTRAN_MAXLOC, stepccl_maxloc}, {OMPI_OP_BASE_FORTRAN_MINLOC, stepccl_minloc},
    };
    if (0 == (op->o_flags & OMPI_OP_FLAGS_INTRINSIC)) return false;
    for (size_t i = 0; i < LENGTH(ops); ++i) {
        if (ops[i].index == op->o_f_to_c_index) {
            *out = ops[i].word;
            return true;
        }
    }
    return false;
}

bool coll_stepccl_is_plain(const ompi_datatype_t* type) {
    const opal_datatype_t* bytes = &type->super;
    return 0 != (bytes->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) && 0 == bytes->lb && 0 == bytes->true_lb &&
           (ptrdiff_t)bytes->size == bytes->ub && bytes->true_ub == bytes->ub;
}
