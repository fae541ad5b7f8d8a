// Schedules as text: one step a line, stable from version to version, so that they can be read and compared.
#pragma once

#include <string>

#include "sched/schedule.h"

namespace stepccl {

std::string to_text(const Operand& operand);
std::string to_text(const Schedule& schedule, const Step& step);
// A header line, then a line a step.
std::string to_text(const Schedule& schedule);

}  // namespace stepccl
