#include "requests.h"

namespace devize {
namespace {

bool is_complete(MPI_Request request) {
    int flag = 0;
    return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag != 0;
}

}  // namespace

void Requests::put(MPI_Request handle, Entry entry) {
    std::lock_guard lock(mutex_);
    entries_[handle] = std::move(entry);
}

int Requests::started(std::unique_ptr<Move> move, int rc, MPI_Request request) {
    if (!move->moved()) return rc;
    // MPI may use one handle for all requests that are complete from the beginning.
    if (rc != MPI_SUCCESS || is_complete(request)) return move->complete(rc);
    put(request, {std::move(move), false, true});
    return rc;
}

int Requests::initialized(std::unique_ptr<Move> move, int rc, MPI_Request request) {
    if (rc == MPI_SUCCESS && move->moved()) put(request, {std::move(move), true, false});
    return rc;
}

void Requests::start(int count, const MPI_Request* requests) {
    for (Taken& taken : take(count, requests)) {
        taken.entry.move->in();
        taken.entry.active = true;
        put(taken.handle, std::move(taken.entry));
    }
}

std::vector<Requests::Taken> Requests::take(int count, const MPI_Request* requests) {
    std::vector<Taken> out;
    std::lock_guard lock(mutex_);
    if (requests == nullptr || entries_.empty()) return out;
    for (int i = 0; i < count; ++i) {
        auto found = entries_.find(requests[i]);
        if (found == entries_.end()) continue;
        out.push_back({i, requests[i], std::move(found->second)});
        entries_.erase(found);
    }
    return out;
}

void Requests::settle(std::vector<Taken> taken, const MPI_Request* requests) {
    for (auto& [index, handle, entry] : taken) {
        bool freed = requests[index] == MPI_REQUEST_NULL;
        if (entry.active && (freed || is_complete(handle))) {
            entry.move->out(MPI_SUCCESS);
            entry.active = false;
        }
        if (!freed) put(handle, std::move(entry));
    }
}

void Requests::freed(std::vector<Taken> taken) {
    std::lock_guard lock(mutex_);
    for (auto& [index, handle, entry] : taken)
        if (entry.active) orphans_.push_back(std::move(entry));
}

void Requests::clear() {
    std::lock_guard lock(mutex_);
    entries_.clear();
    orphans_.clear();
}

}  // namespace devize
