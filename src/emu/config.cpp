#include "emu/config.h"

#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/params.h"
#include "base/text.h"
#include "emu/fault_words.h"

namespace stepccl::emu {
namespace {

constexpr unsigned kMostDevices = 64;

std::optional<std::string> variable(const char* const* environment, std::string_view name) {
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        std::string_view entry = *environment;
        if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
            return std::string(entry.substr(name.size() + 1));
        }
    }
    return std::nullopt;
}

// A misspelt variable would silently test nothing.
Status reject_unknown(const char* const* environment) {
    constexpr std::string_view kPrefix = "STEPCCL_EMU_";
    const std::string_view known[] = {"STEPCCL_EMU_DEVICES", "STEPCCL_EMU_MEMORY", "STEPCCL_EMU_FAULTS"};
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        std::string_view entry = *environment, name = entry.substr(0, entry.find('='));
        if (!name.starts_with(kPrefix) || std::find(std::begin(known), std::end(known), name) != std::end(known))
            continue;
        auto hint = nearest(name, known);
        return Status(Code::ERR_PARAMETER,
                      cat("there is no variable ", name, hint ? cat("; did you mean ", *hint, "?") : std::string()));
    }
    return {};
}

std::string uuid_text(unsigned physical) {
    cuda::Uuid uuid = device_uuid(physical);
    std::string out = "GPU-";
    for (size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        constexpr char kDigits[] = "0123456789abcdef";
        auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

// The device that one word of CUDA_VISIBLE_DEVICES means: an index, or the beginning of exactly one UUID.
std::optional<unsigned> named_device(std::string_view word, unsigned devices) {
    unsigned index = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error == std::errc() && end == word.data() + word.size())
        return index < devices ? std::optional(index) : std::nullopt;
    std::optional<unsigned> found;
    if (!word.starts_with("GPU-")) return found;
    for (unsigned i = 0; i < devices; ++i) {
        if (!uuid_text(i).starts_with(word)) continue;
        if (found) return std::nullopt;
        found = i;
    }
    return found;
}

// As CUDA does it: the list ends at the first word that names no device, or one that was named before.
std::vector<unsigned> visible_devices(const std::optional<std::string>& list, unsigned devices) {
    std::vector<unsigned> out;
    if (!list) {
        for (unsigned i = 0; i < devices; ++i) out.push_back(i);
        return out;
    }
    for (std::string_view word : split(*list, ',')) {
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        std::optional<unsigned> device = named_device(word, devices);
        if (!device || std::find(out.begin(), out.end(), *device) != out.end()) break;
        out.push_back(*device);
    }
    return out;
}

// The rank that the launcher gave this process; empty outside a job.
std::string launched_rank(const char* const* environment) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
        if (auto rank = variable(environment, name)) return *rank;
    }
    return {};
}

}  // namespace

std::string plain_name(std::string_view symbol) {
    size_t tail = symbol.rfind("_v");
    bool versioned = tail != std::string_view::npos && tail + 3 == symbol.size() && symbol[tail + 2] >= '0' &&
                     symbol[tail + 2] <= '9';
    return std::string(versioned ? symbol.substr(0, tail) : symbol);
}

cuda::Uuid device_uuid(unsigned physical) {
    utsname host{};
    uname(&host);
    uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char* c = host.nodename; *c != '\0'; ++c)
        hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
    cuda::Uuid uuid{};
    uint64_t halves[2] = {hash, (hash ^ (physical + 1)) * 0x9e3779b97f4a7c15u};
    std::memcpy(uuid.bytes, halves, sizeof halves);
    // Version 4, variant 1, so that tools which look at these bits take it for a UUID.
    uuid.bytes[6] = static_cast<char>((uuid.bytes[6] & 0x0f) | 0x40);
    uuid.bytes[8] = static_cast<char>((uuid.bytes[8] & 0x3f) | 0x80);
    return uuid;
}

Result<Config> read_config(const char* const* environment) {
    Config config;
    STEPCCL_TRY(reject_unknown(environment));
    if (auto text = variable(environment, "STEPCCL_EMU_DEVICES")) {
        auto count = parse_size(*text);
        if (!count || *count > kMostDevices) {
            return Status(Code::ERR_PARAMETER, cat("STEPCCL_EMU_DEVICES='", *text, "': expected 0 to ", kMostDevices));
        }
        config.devices = static_cast<unsigned>(*count);
    }
    if (auto text = variable(environment, "STEPCCL_EMU_MEMORY")) {
        auto bytes = parse_size(*text);
        if (!bytes || *bytes == 0) {
            return Status(Code::ERR_PARAMETER,
                          cat("STEPCCL_EMU_MEMORY='", *text, "': expected a size such as 512M or 4G"));
        }
        config.memory_bytes = *bytes;
    }
    if (auto text = variable(environment, "STEPCCL_EMU_FAULTS")) {
        const std::string rank = launched_rank(environment);
        auto faults = parse_faults(*text, rank);
        if (!faults.ok()) return faults.status();
        config.faults = std::move(faults).value();
        for (char digit : rank) config.faults.seed = config.faults.seed * 31 + static_cast<unsigned char>(digit);
    }
    config.visible = visible_devices(variable(environment, "CUDA_VISIBLE_DEVICES"), config.devices);
    return config;
}

}  // namespace stepccl::emu
