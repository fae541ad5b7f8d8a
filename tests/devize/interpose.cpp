// The functions that stand before MPI's: collectives, the completion of requests, MPI_Init and MPI_Finalize.
#include <mpi.h>
#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#endif

#include "requests.h"

// Persistent collectives are an extension of Open MPI 4.
#if OMPI_MAJOR_VERSION < 5
#define DEVIZE_PERSISTENT(name) MPIX_##name
#define DEVIZE_PERSISTENT_BELOW(name) PMPIX_##name
#else
#define DEVIZE_PERSISTENT(name) MPI_##name
#define DEVIZE_PERSISTENT_BELOW(name) PMPI_##name
#endif

namespace devize {
namespace {

Requests& requests() {
    static auto* all = new Requests;
    return *all;
}

// Calls MPI's function about requests, with their buffers.
template <class Function>
int completing(int count, MPI_Request* handles, Function function) {
    auto taken = requests().take(count, handles);
    int rc = function();
    requests().settle(std::move(taken), handles);
    return rc;
}

std::unique_ptr<Move> begin(Kind kind, Form form, const Call& call) {
    auto move = std::make_unique<Move>(kind, form, call);
    if (form != Form::persistent) move->in();
    return move;
}

}  // namespace
}  // namespace devize

using namespace devize;

extern "C" {

#define DEVIZE_COLLECTIVE(Name, name, buffers, parameters, arguments)                                        \
    int MPI_##Name parameters {                                                                              \
        if (Process::get() == nullptr) return PMPI_##Name arguments;                                         \
        auto move = begin(Kind::Name, Form::blocking, describe_##name arguments);                            \
        move->replace buffers;                                                                               \
        return move->complete(PMPI_##Name arguments);                                                        \
    }                                                                                                        \
    int MPI_I##name(DEVIZE_LIST parameters, MPI_Request* request) {                                          \
        if (Process::get() == nullptr) return PMPI_I##name(DEVIZE_LIST arguments, request);                  \
        auto move = begin(Kind::Name, Form::nonblocking, describe_##name arguments);                         \
        move->replace buffers;                                                                               \
        int rc = PMPI_I##name(DEVIZE_LIST arguments, request);                                               \
        return requests().started(std::move(move), rc, rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL);     \
    }                                                                                                        \
    int DEVIZE_PERSISTENT(Name##_init)(DEVIZE_LIST parameters, MPI_Info info, MPI_Request * request) {       \
        if (Process::get() == nullptr)                                                                       \
            return DEVIZE_PERSISTENT_BELOW(Name##_init)(DEVIZE_LIST arguments, info, request);               \
        auto move = begin(Kind::Name, Form::persistent, describe_##name arguments);                          \
        move->replace buffers;                                                                               \
        int rc = DEVIZE_PERSISTENT_BELOW(Name##_init)(DEVIZE_LIST arguments, info, request);                 \
        return requests().initialized(std::move(move), rc, rc == MPI_SUCCESS ? *request : MPI_REQUEST_NULL); \
    }
#include "collectives.def"
#undef DEVIZE_COLLECTIVE

int MPI_Reduce_local(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op) {
    if (Process::get() == nullptr) return PMPI_Reduce_local(sendbuf, recvbuf, count, type, op);
    auto move = begin(Kind::Reduce_local, Form::blocking, describe_reduce_local(sendbuf, recvbuf, count, type, op));
    move->replace(sendbuf, recvbuf);
    return move->complete(PMPI_Reduce_local(sendbuf, recvbuf, count, type, op));
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
    return completing(1, request, [&] { return PMPI_Wait(request, status); });
}

int MPI_Waitany(int count, MPI_Request handles[], int* index, MPI_Status* status) {
    return completing(count, handles, [&] { return PMPI_Waitany(count, handles, index, status); });
}

int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[]) {
    return completing(count, handles, [&] { return PMPI_Waitall(count, handles, statuses); });
}

int MPI_Waitsome(int count, MPI_Request handles[], int* done, int indices[], MPI_Status statuses[]) {
    return completing(count, handles, [&] { return PMPI_Waitsome(count, handles, done, indices, statuses); });
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    return completing(1, request, [&] { return PMPI_Test(request, flag, status); });
}

int MPI_Testany(int count, MPI_Request handles[], int* index, int* flag, MPI_Status* status) {
    return completing(count, handles, [&] { return PMPI_Testany(count, handles, index, flag, status); });
}

int MPI_Testall(int count, MPI_Request handles[], int* flag, MPI_Status statuses[]) {
    return completing(count, handles, [&] { return PMPI_Testall(count, handles, flag, statuses); });
}

int MPI_Testsome(int count, MPI_Request handles[], int* done, int indices[], MPI_Status statuses[]) {
    return completing(count, handles, [&] { return PMPI_Testsome(count, handles, done, indices, statuses); });
}

// A program may look at its buffer when this says that the call is complete.
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
    return completing(1, &request, [&] { return PMPI_Request_get_status(request, flag, status); });
}

int MPI_Request_free(MPI_Request* request) {
    auto taken = requests().take(1, request);
    int rc = PMPI_Request_free(request);
    if (rc == MPI_SUCCESS) {
        requests().freed(std::move(taken));
    } else {
        requests().settle(std::move(taken), request);
    }
    return rc;
}

int MPI_Start(MPI_Request* request) {
    requests().start(1, request);
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request handles[]) {
    requests().start(count, handles);
    return PMPI_Startall(count, handles);
}

int MPI_Init(int* argc, char*** argv) {
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS) Process::begin();
    return rc;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS) Process::begin();
    return rc;
}

int MPI_Finalize(void) {
    requests().clear();
    Process::end();
    return PMPI_Finalize();
}

}  // extern "C"
