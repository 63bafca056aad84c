// SPDX-License-Identifier: Apache-2.0
#include "tune/control.h"

#include <utility>

namespace lathe::tune {
namespace {

constexpr std::chrono::milliseconds look{20}; // whether it was cancelled

} // namespace

void Control::set(State state) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ >= State::Stopped && state <= state_)
            return;
        state_ = state;
        ++wishes_;
    }
    changed_.notify_all();
}

void Control::begin() {
    const std::lock_guard lock(mutex_);
    state_ = State::Runs;
    limits_.reset();
    instructions_.clear();
    taken_ = wishes_;
}

bool Control::isWorking() const {
    const std::lock_guard lock(mutex_);
    return works_;
}

void Control::setLimits(Limits limits) {
    {
        const std::lock_guard lock(mutex_);
        limits_ = limits;
        ++wishes_;
    }
    changed_.notify_all();
}

void Control::instruct(Instruction instruction) {
    {
        const std::lock_guard lock(mutex_);
        instructions_.push_back(std::move(instruction));
        ++wishes_;
    }
    changed_.notify_all();
}

Control::State Control::state() const {
    const std::lock_guard lock(mutex_);
    return state_;
}

std::optional<Limits> Control::limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
}

std::vector<Instruction> Control::instructions() {
    const std::lock_guard lock(mutex_);
    taken_ = wishes_;
    return std::exchange(instructions_, {});
}

double Control::waited() const {
    const std::lock_guard lock(mutex_);
    std::chrono::duration<double> waited = waited_;
    if (waitsSince_)
        waited += std::chrono::steady_clock::now() - *waitsSince_;
    return waited.count();
}

bool Control::mustWait() const {
    const std::lock_guard lock(mutex_);
    return isHeldBack();
}

template <class Condition>
void Control::waitWhile(std::unique_lock<std::mutex>& lock, const Cancelled& cancelled, Condition condition) {
    while (condition()) {
        if (cancelled) {
            lock.unlock();
            const bool now = cancelled();
            lock.lock();
            if (now)
                return;
        }
        changed_.wait_for(lock, look);
    }
}

template <class Condition>
void Control::pauseWhile(std::unique_lock<std::mutex>& lock, const Cancelled& cancelled, Condition condition) {
    waitsSince_ = std::chrono::steady_clock::now();
    waitWhile(lock, cancelled, condition);
    waited_ += std::chrono::steady_clock::now() - *std::exchange(waitsSince_, std::nullopt);
}

void Control::wait(const Cancelled& cancelled, bool idle) {
    std::unique_lock lock(mutex_);
    const bool worked = std::exchange(works_, false);
    changed_.notify_all();
    pauseWhile(lock, cancelled, [&] { return wishes_ == taken_ && (idle || isHeldBack()); });
    works_ = worked;
}

void Control::waitToGoOn(const Cancelled& cancelled) {
    std::unique_lock lock(mutex_);
    pauseWhile(lock, cancelled, [&] { return isHeldBack(); });
}

Control::Hold::Hold(Control& control, const Cancelled& cancelled) : control_(control) {
    std::unique_lock lock(control.mutex_);
    ++control.holds_;
    control.waitWhile(lock, cancelled, [&] { return control.works_; });
}

Control::Hold::~Hold() {
    {
        const std::lock_guard lock(control_.mutex_);
        --control_.holds_;
    }
    control_.changed_.notify_all();
}

Control::Work::Work(Control* control, const Cancelled& cancelled) : control_(control) {
    if (!control)
        return;
    std::unique_lock lock(control->mutex_);
    control->pauseWhile(lock, cancelled, [&] { return control->holds_ > 0; });
    control->works_ = true;
}

Control::Work::~Work() {
    if (!control_)
        return;
    {
        const std::lock_guard lock(control_->mutex_);
        control_->works_ = false;
    }
    control_->changed_.notify_all();
}

} // namespace lathe::tune
