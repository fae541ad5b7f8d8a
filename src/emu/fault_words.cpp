#include "emu/fault_words.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/params.h"
#include "base/text.h"

namespace stepccl::emu {
namespace {

constexpr std::string_view kWords[] = {"delay=",     "reorder",  "fail=", "lose=", "noipc",
                                       "noipc-open", "corrupt=", "seed=", "rank="};
constexpr uint64_t kLongestDelay = 10'000'000;

const std::vector<std::string>& functions() {
    static const auto* names = new std::vector<std::string>{
#define STEPCCL_DRIVER(name, symbol, optional, result, args) plain_name(#symbol),
#include "engine/cuda/driver.def"
#undef STEPCCL_DRIVER
    };
    return *names;
}

Status malformed(std::string_view word, const std::string& expected) {
    return Status(Code::ERR_PARAMETER, cat("STEPCCL_EMU_FAULTS: '", word, "': ", expected));
}

std::optional<uint64_t> number(std::string_view text) {
    uint64_t out = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::optional<cuda::CuResult> code(std::string_view text) {
#define STEPCCL_CUDA_RESULT(name, value, description) \
    if (value != 0 && (text == #name || text == #value)) return cuda::name;
#include "engine/cuda/results.def"
#undef STEPCCL_CUDA_RESULT
    return std::nullopt;
}

// NAME:K or NAME:K:CODE
Status parse_fail(std::string_view word, std::string_view value, Faults& faults) {
    auto parts = split(value, ':');
    FailRule rule{plain_name(parts[0]), 0, cuda::CUDA_ERROR_UNKNOWN};
    if (std::find(functions().begin(), functions().end(), rule.function) == functions().end()) {
        return malformed(word, cat("the emulated driver has no function '", parts[0], "'"));
    }
    if (rule.function.ends_with("Alloc")) rule.code = cuda::CUDA_ERROR_OUT_OF_MEMORY;
    auto call = parts.size() == 2 || parts.size() == 3 ? number(parts[1]) : std::nullopt;
    if (!call || *call == 0)
        return malformed(word, "expected fail=FUNCTION:CALL or fail=FUNCTION:CALL:CODE, CALL from 1");
    rule.call = *call;
    if (parts.size() == 3) {
        auto named = code(parts[2]);
        if (!named)
            return malformed(word, cat("'", parts[2], "' is no CUDA error code that the emulated driver knows"));
        rule.code = *named;
    }
    faults.fail.push_back(std::move(rule));
    return {};
}

Status unknown(std::string_view word) {
    auto hint = nearest(word, kWords);
    std::string words;
    for (std::string_view known : kWords) words += cat(words.empty() ? "" : " ", known);
    return malformed(word, hint ? cat("unknown; did you mean '", *hint, "'?") : cat("unknown; the words are ", words));
}

// The words that carry a number.
Status parse_number(std::string_view word, std::string_view name, std::string_view value, Faults& faults) {
    struct Row {
        std::string_view name;
        uint64_t* target;
        uint64_t low, high;
    };
    const Row rows[] = {{"delay", &faults.delay_us, 0, kLongestDelay},
                        {"lose", &faults.lose, 1, UINT64_MAX},
                        {"corrupt", &faults.corrupt, 1, UINT64_MAX},
                        {"seed", &faults.seed, 0, UINT64_MAX}};
    for (const Row& row : rows) {
        if (row.name != name) continue;
        auto parsed = number(value);
        if (!parsed || *parsed < row.low || *parsed > row.high) {
            return malformed(word, cat("expected a whole number from ", row.low, " to ", row.high));
        }
        *row.target = *parsed;
        return {};
    }
    return unknown(word);
}

}  // namespace

Result<Faults> parse_faults(std::string_view text, std::string_view own_rank) {
    Faults faults;
    std::optional<std::string_view> rank;
    if (text.empty()) return faults;
    for (std::string_view word : split(text, ',')) {
        size_t equals = word.find('=');
        std::string_view name = word.substr(0, equals);
        std::string_view value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
        if (word == "reorder") {
            faults.reorder = true;
        } else if (word == "noipc") {
            faults.noipc = true;
        } else if (word == "noipc-open") {
            faults.noipc_open = true;
        } else if (equals == std::string_view::npos) {
            return unknown(word);
        } else if (name == "fail") {
            STEPCCL_TRY(parse_fail(word, value, faults));
        } else if (name == "rank") {
            if (!number(value)) return malformed(word, "expected the number of a rank");
            rank = value;
        } else {
            STEPCCL_TRY(parse_number(word, name, value, faults));
        }
    }
    return rank && *rank != own_rank ? Faults() : faults;
}

}  // namespace stepccl::emu
