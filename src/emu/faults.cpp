#include "emu/faults.h"

#include <chrono>
#include <thread>

namespace stepccl::emu {

FaultInjector::FaultInjector(const Faults& faults)
    : faults_(faults), calls_(std::make_unique<std::atomic<uint64_t>[]>(faults.fail.size())) {}

cuda::CuResult FaultInjector::on_call(std::string_view symbol) {
    if (faults_.fail.empty()) return cuda::CUDA_SUCCESS;
    cuda::CuResult out = cuda::CUDA_SUCCESS;
    const std::string name = plain_name(symbol);
    for (size_t i = 0; i < faults_.fail.size(); ++i) {
        const FailRule& rule = faults_.fail[i];
        if (rule.function == name && ++calls_[i] == rule.call) out = rule.code;
    }
    return out;
}

void FaultInjector::delay(Random& random) const {
    if (faults_.delay_us == 0) return;
    std::uniform_int_distribution<uint64_t> microseconds(0, faults_.delay_us);
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
}

bool FaultInjector::loses_device() {
    return faults_.lose != 0 && ++operations_ == faults_.lose;
}

bool FaultInjector::corrupts_copy() {
    return faults_.corrupt != 0 && ++copies_ == faults_.corrupt;
}

}  // namespace stepccl::emu
