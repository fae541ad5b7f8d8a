#include <stdlib.h>
#include <string.h>

#include "coll_stepccl.h"

/* The component: parameters, and the checks that decide whether it is offered at all. */

#define TEXT_OF(value) TEXT_OF_(value)
#define TEXT_OF_(value) #value
#define BUILT_FOR \
    TEXT_OF(OMPI_MAJOR_VERSION) "." TEXT_OF(OMPI_MINOR_VERSION) "." TEXT_OF(OMPI_RELEASE_VERSION) OMPI_GREEK_VERSION

/* ---- parameters: one of Open MPI's for each row of stepccl_param_get ---- */

typedef struct parameter {
    int index; /* Open MPI's handle */
    stepccl_param_t row;
    union {
        bool yes;
        int64_t number;
        const char* text;
    } value;
} parameter_t;

static parameter_t* parameters; /* Open MPI keeps pointers into it; never freed, for ompi_info reads it after close */
static size_t parameter_count;

static int refuse(const char* why) {
    opal_output(0, "coll/stepccl: not used: %s", why);
    return OMPI_ERR_NOT_AVAILABLE;
}

static mca_base_var_type_t set_initial(parameter_t* parameter) {
    if (0 == strcmp(parameter->row.type, "boolean")) {
        parameter->value.yes = 0 == strcmp(parameter->row.value, "true");
        return MCA_BASE_VAR_TYPE_BOOL;
    }
    if (0 == strcmp(parameter->row.type, "integer")) {
        parameter->value.number = strtoll(parameter->row.value, NULL, 10);
        return MCA_BASE_VAR_TYPE_INT64_T;
    }
    parameter->value.text = parameter->row.value;
    return MCA_BASE_VAR_TYPE_STRING;
}

static int register_one(parameter_t* parameter) {
    const stepccl_param_t* row = &parameter->row;
    char* help = NULL;
    int length =
        '\0' == row->range[0] ? asprintf(&help, "%s", row->help) : asprintf(&help, "%s (%s)", row->help, row->range);
    if (length < 0) return OMPI_ERR_OUT_OF_RESOURCE;
    mca_base_var_type_t type = set_initial(parameter);
    parameter->index = mca_base_component_var_register(
        &mca_coll_stepccl_component.collm_version, row->name, help, type, NULL, 0, 0,
        (mca_base_var_info_lvl_t)(OPAL_INFO_LVL_1 + row->level - 1), MCA_BASE_VAR_SCOPE_READONLY, &parameter->value);
    free(help);
    return parameter->index < 0 ? parameter->index : OMPI_SUCCESS;
}

static int register_parameters(void) {
    if (STEPCCL_SUCCESS != stepccl_param_check()) return refuse(stepccl_last_error());
    parameter_count = stepccl_param_count();
    parameters = calloc(parameter_count, sizeof(*parameters));
    if (NULL == parameters) return OMPI_ERR_OUT_OF_RESOURCE;
    for (size_t i = 0; i < parameter_count; ++i) {
        parameters[i].row.size = sizeof(stepccl_param_t);
        if (STEPCCL_SUCCESS != stepccl_param_get(i, &parameters[i].row)) return refuse(stepccl_last_error());
        int rc = register_one(&parameters[i]);
        if (OMPI_SUCCESS != rc) return rc;
    }
    return OMPI_SUCCESS;
}

/* Hands one value to the library, unless nobody has given any. */
static stepccl_status_t apply(parameter_t* parameter) {
    mca_base_var_source_t source = MCA_BASE_VAR_SOURCE_DEFAULT;
    if (OPAL_SUCCESS != mca_base_var_get_value(parameter->index, NULL, &source, NULL)) return STEPCCL_ERR_INTERNAL;
    if (MCA_BASE_VAR_SOURCE_DEFAULT == source) return STEPCCL_SUCCESS;
    char number[32];
    const char* text = number;
    if (0 == strcmp(parameter->row.type, "boolean")) {
        text = parameter->value.yes ? "true" : "false";
    } else if (0 == strcmp(parameter->row.type, "integer")) {
        snprintf(number, sizeof(number), "%lld", (long long)parameter->value.number);
    } else {
        text = NULL == parameter->value.text ? "" : parameter->value.text;
    }
    return stepccl_param_set(parameter->row.name, text, "MCA");
}

static const parameter_t* find(const char* name) {
    for (size_t i = 0; i < parameter_count; ++i) {
        if (0 == strcmp(parameters[i].row.name, name)) return &parameters[i];
    }
    return NULL;
}

int coll_stepccl_priority(void) {
    const parameter_t* priority = find("priority");
    return NULL == priority ? 95 : (int)priority->value.number;
}

/* ---- checks ---- */

/* Whether the objects of the running Open MPI look as they did in the headers that this file was compiled with. */
static bool has_our_layout(void) {
    int major = 0, minor = 0, release = 0;
    int built = coll_stepccl_layout_group(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
    if (3 != sscanf(ompi_version_string, "%d.%d.%d", &major, &minor, &release)) return false;
    bool same_series = OMPI_MAJOR_VERSION == major && OMPI_MINOR_VERSION == minor;
    bool same_group = built >= 0 && same_series && built == coll_stepccl_layout_group(major, minor, release);
    if (!same_group && 0 != strcmp(ompi_version_string, BUILT_FOR)) return false;
    /* The same release can have been configured in another way, e.g. for debugging. */
    return sizeof(mca_coll_base_module_t) == OBJ_CLASS(mca_coll_base_module_t)->cls_sizeof &&
           sizeof(ompi_coll_base_nbc_request_t) == OBJ_CLASS(ompi_coll_base_nbc_request_t)->cls_sizeof &&
           sizeof(ompi_communicator_t) == OBJ_CLASS(ompi_communicator_t)->cls_sizeof &&
           sizeof(ompi_datatype_t) == OBJ_CLASS(ompi_datatype_t)->cls_sizeof;
}

/* ompi_info comes here too, without any other process: nothing of the device or the network may be touched. */
static int open_component(void) {
    if (!has_our_layout()) {
        opal_output(0,
                    "coll/stepccl: not used: it was built for Open MPI %s and this is %s, whose objects may look "
                    "different; build "
                    "it for this one",
                    BUILT_FOR, ompi_version_string);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    for (size_t i = 0; i < parameter_count; ++i) {
        if (STEPCCL_SUCCESS != apply(&parameters[i])) return refuse(stepccl_last_error());
    }
    return coll_stepccl_requests_open();
}

static int close_component(void) {
    coll_stepccl_requests_close();
    coll_stepccl_pool_close();
    return OMPI_SUCCESS;
}

static int init_query(bool progress_threads, bool mpi_threads) {
    (void)progress_threads;
    (void)mpi_threads;
    const parameter_t* on = find("enable");
    return NULL != on && !on->value.yes ? OMPI_ERR_NOT_AVAILABLE : OMPI_SUCCESS;
}

__attribute__((visibility("default"))) mca_coll_base_component_t mca_coll_stepccl_component = {
    .collm_version = {COLL_STEPCCL_API_VERSION, .mca_component_name = "stepccl", .mca_component_major_version = 0,
                      .mca_component_minor_version = 1, .mca_component_release_version = 0,
                      .mca_open_component = open_component, .mca_close_component = close_component,
                      .mca_register_component_params = register_parameters},
    .collm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = init_query,
    .collm_comm_query = coll_stepccl_comm_query,
};
