// SPDX-License-Identifier: Apache-2.0
//
// Scopes are lists first, so that a long model nests no deeper than its names; finishing folds from the end.
#include "lower/entry_scope.h"

#include "abi/abi.h"
#include "base/limits.h"
#include "lower/sizes.h"
#include "tir/visit.h"

#include <algorithm>
#include <fmt/format.h>

namespace lathe::lower {

Expr load(const tir::BufferPtr& place) {
    return arith::load(place, {Expr(0)});
}
void store(const tir::BufferPtr& place, Expr value, EntryScope& scope) {
    scope.add(tir::makeStmt(tir::Store{place, {Expr(0)}, std::move(value), {}}, -1));
}

Expr rtCall(int function, std::vector<Expr> args, DataType dtype) {
    args.insert(args.begin(), arith::intImm(function, types::Int32));
    return arith::call(arith::Intrinsic::RtCall, std::move(args), dtype);
}

Expr isGiven(const Expr& address) {
    return arith::ne(arith::call(arith::Intrinsic::Reinterpret, {address}, types::Int64),
                     arith::intImm(0, types::Int64));
}

tir::Stmt evaluate(Expr value) {
    return tir::makeStmt(tir::Evaluate{std::move(value)}, -1);
}

void EntryScope::add(tir::Stmt stmt) {
    items_.push_back({ItemKind::Stmt, std::move(stmt), {}, {}, nullptr, {}});
}

arith::Var EntryScope::let(const std::string& name, Expr value) {
    arith::Var var = arith::var(name, value.dtype());
    define(var, std::move(value));
    return var;
}

void EntryScope::define(const arith::Var& var, Expr value) {
    items_.push_back({ItemKind::Let, nullptr, var, std::move(value), nullptr, {}});
}

tir::BufferPtr EntryScope::local(const std::string& name, DataType dtype) {
    tir::BufferPtr buffer = tir::makeBuffer(name, dtype, {Expr(1)}, tir::Scope::Local);
    items_.push_back({ItemKind::Local, nullptr, {}, {}, buffer, {}});
    return buffer;
}

void EntryScope::bind(tir::BufferPtr buffer, Expr address) {
    items_.push_back({ItemKind::Bind, nullptr, {}, std::move(address), std::move(buffer), {}});
}

std::string_view toString(BufferUse::Kind kind) {
    static constexpr std::string_view names[] = {"value", "workspace", "sizes", "control"};
    return names[static_cast<size_t>(kind)];
}

Expr EntryScope::allocate(const Expr& bytes, BufferUse use) {
    if (segment_ < 0) {
        segment_ = static_cast<int>(segments_.size());
        auto segment = std::make_unique<Segment>();
        segment->base = arith::var(fmt::format("frame{}", segment_), types::Handle);
        segment->bytes = arith::symbol("bytes");
        segment->check = items_.size();
        add(nullptr);
        segment->below = layers_.size();
        layers_.push_back(segment->bytes);
        segments_.push_back(std::move(segment));
        Segment& made = *segments_.back();
        define(made.base, rtCall(LATHE_FN_ARENA_PUSH, {made.bytes}, types::Handle));
        add(tir::makeStmt(
            tir::Check{isGiven(made.base), tir::CheckKind::OutOfMemory, "not enough memory for intermediate values"},
            -1));
    }
    Segment& segment = *segments_[static_cast<size_t>(segment_)];
    Expr offset = segment.plan.allocate(bytes);
    Expr address = arith::call(arith::Intrinsic::PtrOffset, {segment.base, offset}, types::Handle);
    live_[address.get()] = {segment_, offset, buffers_.size()};
    buffers_.push_back({segment.below, {std::move(use), bytes, offset, calls_, -1}});
    return address;
}

void EntryScope::release(const Expr& address) {
    auto it = live_.find(address.get());
    if (it == live_.end())
        return;
    const Live& live = it->second;
    segments_[static_cast<size_t>(live.segment)]->plan.release(live.offset);
    PlacedBuffer& record = buffers_[live.buffer].record;
    record.lastCall = std::max(record.firstCall, calls_ - 1);
    live_.erase(it);
}

void EntryScope::nested(const Expr& peak, std::vector<PlacedBuffer> buffers, bool kept) {
    for (PlacedBuffer& buffer : buffers)
        buffers_.push_back({layers_.size(), std::move(buffer)});
    if (kept)
        layers_.push_back(peak);
    nestedKept_ = nestedKept_ || kept;
    if (!peak || !nestedPeak_)
        nestedPeak_ = {};
    else if (kept)
        keptPeak_ = arith::simplify(keptPeak_ + peak);
    else
        nestedPeak_ = arith::simplify(arith::max(nestedPeak_, peak));
}

void EntryScope::place(Buffer& buffer, const std::vector<Expr>& bases, const arith::VarMap& offsets) const {
    PlacedBuffer& record = buffer.record;
    if (record.lastCall < 0 && !kept_)
        record.lastCall = std::max(record.firstCall, calls_ - 1);
    const Expr& base = bases[buffer.below];
    record.offset = base && record.offset ? base + arith::substitute(record.offset, offsets) : Expr();
}

EntryScope::Finished EntryScope::finish() {
    arith::VarMap values, places; // of the frames' Vars: those that are put in, and all
    Expr peak = nestedPeak_ ? arith::simplify(nestedPeak_ + keptPeak_) : Expr();
    for (const auto& segment : segments_) {
        const Expr bytes = segment->plan.finish(values);
        values[segment->bytes.get()] = bytes;
        places.insert(values.begin(), values.end());
        // Those that depend on sizes have names: each is a sum of maxima, and calls mention them again and again.
        for (auto& [var, value] : segment->plan.steps(segment->bytes))
            if (!arith::isConst(values.at(var.get()))) {
                items_[segment->check].known.emplace_back(var, std::move(value));
                values.erase(var.get());
            }
        if (Expr holds = within(bytes, limits::arenaBytes)) {
            tir::Check check{
                std::move(holds), tir::CheckKind::OutOfMemory,
                fmt::format("intermediate values need more memory than the limit of {} bytes", limits::arenaBytes), -1};
            items_[segment->check].stmt = tir::makeStmt(std::move(check), -1);
        }
        if (peak)
            peak = arith::simplify(peak + bytes);
    }
    Finished finished{nullptr, peak, {}};
    std::vector<Expr> bases = {Expr(0)};
    for (const Expr& layer : layers_)
        bases.push_back(bases.back() && layer ? bases.back() + arith::substitute(layer, places) : Expr());
    for (Buffer& buffer : buffers_) {
        place(buffer, bases, places);
        finished.buffers.push_back(std::move(buffer.record));
    }
    if (!kept_ && (!segments_.empty() || nestedKept_)) {
        arith::Var mark = arith::var("mark", types::Index);
        items_.insert(items_.begin(),
                      {ItemKind::Let, nullptr, mark, rtCall(LATHE_FN_ARENA_MARK, {}, types::Index), nullptr, {}});
        add(evaluate(rtCall(LATHE_FN_ARENA_RELEASE, {mark}, types::Void)));
    }
    std::vector<tir::Stmt> body; // in reverse
    auto fold = [&](auto node) {
        std::reverse(body.begin(), body.end());
        node.body = tir::seq(std::move(body), -1);
        body.clear();
        body.push_back(tir::makeStmt(std::move(node), -1));
    };
    for (size_t i = items_.size(); i-- > 0;) {
        Item& item = items_[i];
        switch (item.kind) {
        case ItemKind::Stmt:
            for (size_t k = item.known.size(); k-- > 0;)
                fold(tir::Let{item.known[k].first, item.known[k].second, nullptr});
            if (item.stmt)
                body.push_back(std::move(item.stmt));
            break;
        case ItemKind::Let:
            fold(tir::Let{item.var, item.value, nullptr});
            break;
        case ItemKind::Local:
            fold(tir::Allocate{item.buffer, nullptr});
            break;
        case ItemKind::Bind:
            fold(tir::BindBuffer{item.buffer, item.value, nullptr});
            break;
        }
    }
    std::reverse(body.begin(), body.end());
    finished.stmt = tir::seq(std::move(body), -1);
    if (!values.empty() && finished.stmt)
        finished.stmt = tir::substitute(finished.stmt, values);
    return finished;
}

} // namespace lathe::lower
