#include "engine/cuda/kernels/host_kernels.h"

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "engine/cuda/kernels/functors.h"
#include "engine/cuda/kernels/kernel_name.h"
#include "engine/cuda/kernels/reduce_body.h"
#include "engine/cuda/kernels/reduce_work.h"

namespace stepccl::kernels {
namespace {

// The launch's view of memory: every address goes through the driver.
class Memory {
  public:
    explicit Memory(const HostKernelEnv& env) : env_(env) {}

    // The array at `address`; null when it is not memory or not aligned. An empty array is never looked at.
    template <typename T>
    T* array(uint64_t address, uint64_t count) const {
        static T none[1] = {};
        if (count == 0) return none;
        if (address % alignof(T) != 0 || count > SIZE_MAX / sizeof(T)) return nullptr;
        return static_cast<T*>(env_.resolve(env_.ctx, address, static_cast<size_t>(count) * sizeof(T)));
    }
    bool wait(const FlagRef& flag) const { return env_.wait_geq(env_.ctx, flag.address, flag.value); }
    bool signal(const FlagRef& flag) const { return env_.write_flag(env_.ctx, flag.address, flag.value); }

  private:
    const HostKernelEnv& env_;
};

// Many elements at a time, so that the compiler can use the processor's vector instructions.
struct ByCopy {
    template <unsigned N, typename Element>
    static void read(const Element* from, Element (&to)[N]) {
        std::memcpy(to, from, sizeof to);
    }
    template <unsigned N, typename Element>
    static void write(const Element (&from)[N], Element* to) {
        std::memcpy(to, from, sizeof from);
    }
};

template <typename Functor>
void fold_all(const Operands<typename Functor::Element>& operands, uint64_t count) {
    constexpr unsigned kRun = 64;
    uint64_t at = 0;
    for (; count - at >= kRun; at += kRun) fold<Functor, ByCopy, 1, kRun>(operands, at, 0);
    for (; at < count; ++at) fold<Functor, ByCopy, 1, 1>(operands, at, 0);
}

template <typename Functor>
bool fold_entry(const Memory& memory, const ReduceWork& work, const ReduceEntry& entry) {
    using Element = typename Functor::Element;
    if (entry.count == 0) return true;
    const uint64_t* addresses = memory.array<uint64_t>(work.srcs + entry.first_src * sizeof(uint64_t), entry.nsrc);
    Element* dst = memory.array<Element>(entry.dst, entry.count);
    if (entry.nsrc == 0 || addresses == nullptr || dst == nullptr) return false;
    std::vector<uint64_t> sources;
    for (uint32_t s = 0; s < entry.nsrc; ++s) {
        const Element* source = memory.array<Element>(addresses[s], entry.count);
        if (source == nullptr) return false;
        sources.push_back(reinterpret_cast<uint64_t>(source));
    }
    fold_all<Functor>(Operands<Element>(reinterpret_cast<uint64_t>(dst), sources.data(), entry.nsrc), entry.count);
    return true;
}

template <bool (Memory::*action)(const FlagRef&) const>
bool each_flag(const Memory& memory, const ReduceWork& work, uint32_t first, uint32_t count) {
    const FlagRef* flags = memory.array<FlagRef>(work.flags + first * sizeof(FlagRef), count);
    if (flags == nullptr) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (!(memory.*action)(flags[i])) return false;
    }
    return true;
}

template <typename Functor>
bool run(void** args, unsigned grid, unsigned block, const HostKernelEnv& env) {
    ReduceWork work;
    std::memcpy(&work, args[0], sizeof work);
    const Memory memory(env);
    const ReduceEntry* entries = memory.array<ReduceEntry>(work.entries, work.nentries);
    const uint32_t* arrivals = memory.array<uint32_t>(work.arrivals, work.nentries);
    if (grid == 0 || block == 0 || block % 32 != 0 || block > 1024) return false;
    if (entries == nullptr || arrivals == nullptr) return false;
    for (uint32_t e = 0; e < work.nentries; ++e) {
        const ReduceEntry& entry = entries[e];
        if (!each_flag<&Memory::wait>(memory, work, entry.first_wait, entry.nwaits)) return false;
        if (arrivals[e] != 0 || !fold_entry<Functor>(memory, work, entry)) return false;
        if (!each_flag<&Memory::signal>(memory, work, entry.first_signal, entry.nsignals)) return false;
    }
    return true;
}

template <Datatype type>
struct TypeRow;
#define STEPCCL_DATATYPE(name, ctype, bytes, type_class, help) \
    template <>                                                \
    struct TypeRow<Datatype::name> {                           \
        using Element = ctype;                                 \
        static constexpr uint32_t kClass = type_class;         \
    };
#include "stepccl/datatypes.def"
#undef STEPCCL_DATATYPE

template <Operation op>
struct OperationRow;
#define STEPCCL_OPERATION(name, classes, help)        \
    template <>                                       \
    struct OperationRow<Operation::name> {            \
        template <typename T>                         \
        using Functor = op::name<T>;                  \
        static constexpr uint32_t kClasses = classes; \
    };
#include "stepccl/operations.def"
#undef STEPCCL_OPERATION

// The kernel of datatype I / kOperations and operation I % kOperations.
template <size_t I>
constexpr HostKernel kernel_at() {
    using Type = TypeRow<static_cast<Datatype>(I / kOperations)>;
    using Op = OperationRow<static_cast<Operation>(I % kOperations)>;
    if constexpr ((Type::kClass & Op::kClasses) != 0) {
        return run<typename Op::template Functor<typename Type::Element>>;
    } else {
        return nullptr;
    }
}

template <size_t... I>
constexpr std::array<HostKernel, sizeof...(I)> make_kernels(std::index_sequence<I...>) {
    return {kernel_at<I>()...};
}

constexpr auto kKernels = make_kernels(std::make_index_sequence<kDatatypes * kOperations>());

}  // namespace

HostKernel host_kernel(const char* name) noexcept {
    for (size_t i = 0; i < kKernels.size(); ++i) {
        const char* known =
            kernel_name(static_cast<Datatype>(i / kOperations), static_cast<Operation>(i % kOperations));
        if (known != nullptr && std::strcmp(known, name) == 0) return kKernels[i];
    }
    return nullptr;
}

}  // namespace stepccl::kernels
