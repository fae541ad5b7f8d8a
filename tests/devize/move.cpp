#include "move.h"

#include <algorithm>
#include <cstring>

#include "stepccl/stepccl.h"

namespace devize {

Image::Image(const void* buffer, Layout touched, Layout written)
    : buffer_(buffer), touched_(std::move(touched)), written_(std::move(written)) {
    begin_ = kGuard + reinterpret_cast<uintptr_t>(host(touched_.low)) % 256;
    before_.resize(begin_ + touched_.bytes() + kGuard);
    block_ = static_cast<char*>(Process::get()->allocate(before_.size()));
}

Image::~Image() {
    Process::get()->put_back(block_, before_.size());
}

void* Image::address() const {
    return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(block_) + static_cast<ptrdiff_t>(begin_) - touched_.low);
}

void Image::in() {
    std::fill(before_.begin(), before_.end(), kPattern);
    for (const Run& run : touched_.runs) std::memcpy(at(before_, run.offset), host(run.offset), run.bytes);
    if (stepccl_mem_copy(block_, before_.data(), before_.size()) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
}

const char* Image::out() {
    std::vector<uint8_t> after(before_.size());
    if (stepccl_mem_copy(after.data(), block_, after.size()) != STEPCCL_SUCCESS) die("%s", stepccl_last_error());
    for (const Run& run : written_.runs) {
        std::memcpy(host(run.offset), at(after, run.offset), run.bytes);
        std::memcpy(at(before_, run.offset), at(after, run.offset), run.bytes);
    }
    if (after == before_) return nullptr;
    if (!std::equal(after.begin(), after.begin() + static_cast<ptrdiff_t>(begin_), before_.begin()))
        return "before the first byte";
    if (!std::equal(after.end() - static_cast<ptrdiff_t>(kGuard), after.end(),
                    before_.end() - static_cast<ptrdiff_t>(kGuard)))
        return "behind the last byte";
    return written_.runs.empty() ? "which it only reads" : "between the data that are its to write";
}

Move::Move(Kind kind, Form form, const Call& call) : kind_(kind) {
    const Process* process = Process::get();
    Counter& counter = Process::get()->counter(kind, form);
    ++counter.calls;
    if (!call.usable) {
        ++counter.left;
        return;
    }
    send_ = image_of(call.send, counter);
    recv_ = image_of(call.recv, counter);
    counter.buffers += (send_ != nullptr) + (recv_ != nullptr);
    if (moved()) ++counter.moved;
    if (moved() && process->settings().verbose)
        say("%s: %zu bytes sent and %zu received are on the device", name_of(kind), send_ ? send_->layout().bytes() : 0,
            recv_ ? recv_->layout().bytes() : 0);
}

std::unique_ptr<Image> Move::image_of(const Side& side, Counter& counter) const {
    const Process* process = Process::get();
    const Settings& settings = process->settings();
    if (side.touched.empty() || !(side.written.empty() ? settings.send : settings.recv)) return nullptr;
    auto touched = layout_of(side.touched, settings.limit_bytes, process->own());
    auto written = layout_of(side.written, settings.limit_bytes, process->own());
    if (touched && touched->runs.empty()) return nullptr;
    // MPI_BOTTOM's addresses are those of the program, which cannot be replaced.
    bool movable = touched && written && side.buffer != MPI_BOTTOM;
    if (movable) {
        auto first = reinterpret_cast<uintptr_t>(side.buffer) + static_cast<uintptr_t>(touched->runs[0].offset);
        movable = stepccl_mem_is_device(reinterpret_cast<const void*>(first)) == 0;
    }
    if (movable) return std::make_unique<Image>(side.buffer, std::move(*touched), std::move(*written));
    ++counter.left;
    return nullptr;
}

void Move::in() {
    if (send_) send_->in();
    if (recv_) recv_->in();
}

void Move::out(int rc) {
    for (Image* image : {send_.get(), recv_.get()}) {
        const char* changed = image == nullptr ? nullptr : image->out();
        if (changed != nullptr && rc == MPI_SUCCESS)
            die("%s wrote to its %s buffer %s", name_of(kind_), image == send_.get() ? "send" : "receive", changed);
    }
}

}  // namespace devize
