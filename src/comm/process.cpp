#include "comm/process.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/text.h"

namespace stepccl {
namespace {

struct Stat {
    char state = '?';
    uint64_t start_time = 0;
};

// Fields 3 and 22 of /proc/<pid>/stat; the name in field 2 may hold anything, so it is read from its last parenthesis on.
bool read_stat(int32_t pid, Stat& out) {
    std::ifstream file(cat("/proc/", pid, "/stat"));
    std::string line;
    if (!std::getline(file, line)) return false;
    size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return false;
    std::istringstream fields(line.substr(name_end + 1));
    fields >> out.state;
    std::string skipped;
    for (int field = 4; field < 22; ++field) fields >> skipped;
    fields >> out.start_time;
    return !fields.fail();
}

}  // namespace

ProcessId this_process() {
    Stat stat;
    int32_t pid = ::getpid();
    read_stat(pid, stat);
    return {pid, stat.start_time};
}

bool alive(const ProcessId& process) {
    Stat stat;
    if (!read_stat(process.pid, stat)) return false;
    return stat.start_time == process.start_time && stat.state != 'Z' && stat.state != 'X';
}

std::string node_identity() {
    std::string boot;
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::getline(file, boot);
    char pids[64] = "";
    ssize_t length = ::readlink("/proc/self/ns/pid", pids, sizeof(pids) - 1);
    return cat(boot, "/", std::string_view(pids, length > 0 ? static_cast<size_t>(length) : 0));
}

}  // namespace stepccl
