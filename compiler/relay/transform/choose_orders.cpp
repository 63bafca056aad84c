// SPDX-License-Identifier: Apache-2.0
//
// One flow at a time, from each place where a value is moved, until none gains any more. Each gain is one of bytes,
// so that ends. Then, of ways that move as much, the one in which products are followed by what is fused with them.
#include "relay/transform/choose_orders.h"

#include "relay/transform/minimum_cut.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace lathe::relay::transform {
namespace {

constexpr int64_t stepsOfWay = 500; // its type rule is most of it

class Chooser {
public:
    Chooser(OrderGraph& graph, int64_t& steps)
        : graph_(graph), values_(graph.values()), calls_(graph.calls()), offered_(calls_.size()),
          nodes_(calls_.size(), MinimumCut::keep), steps_(steps) {}

    bool run() {
        bool any = false;
        absorb();
        for (bool again = true; again && steps_ > 0;) {
            again = false;
            tried_.clear();
            for (size_t value = 0; value < values_.size() && steps_ > 0; ++value)
                again |= improveAt(static_cast<int>(value));
            any |= again;
        }
        any |= sinkBehindProducts();
        return any || absorbed_;
    }

private:
    using Way = OrderGraph::Way;
    using Value = OrderGraph::Value;
    OrderGraph& graph_;
    std::vector<Value>& values_;
    std::vector<OrderGraph::Call>& calls_;
    std::vector<std::optional<Way>> offered_; // to calls that the flow at hand reached
    std::vector<int> reached_;
    std::vector<int> nodes_;              // of those in the cut
    std::set<std::pair<int, int>> tried_; // uses in this round
    int64_t& steps_;
    bool absorbed_ = false;

    OrderGraph::Call& callOf(int number) { return calls_[static_cast<size_t>(number)]; }
    Value& valueOf(int number) { return values_[static_cast<size_t>(number)]; }
    int written(const Value& value) { return value.producer < 0 ? 0 : callOf(value.producer).now.writes; }
    int readBy(std::pair<int, int> use) { return callOf(use.first).now.reads[static_cast<size_t>(use.second)]; }
    bool isMoved(const Value& value, std::pair<int, int> use) {
        return value.bytes > 0 && OrderGraph::moves(value, written(value), readBy(use)) > 0;
    }

    void offer(int call, int at, const AxisOrder& order) {
        if (offered_[static_cast<size_t>(call)] || steps_ <= 0)
            return;
        steps_ -= stepsOfWay;
        if (std::optional<Way> way = graph_.way(call, at, order)) {
            offered_[static_cast<size_t>(call)] = std::move(way);
            reached_.push_back(call);
        }
    }
    /// To read the value in that order.
    void offer(std::pair<int, int> use, const AxisOrder& order) {
        const OrderGraph::Reading& reading = callOf(use.first).readings[static_cast<size_t>(use.second)];
        if (const std::optional<AxisOrder> operand = OrderGraph::ofOperand(reading, order))
            offer(use.first, use.second, *operand);
    }
    void offerMoved(int number) {
        const Value& value = valueOf(number);
        const AxisOrder order = value.orders[static_cast<size_t>(written(value))];
        for (auto use : value.uses)
            if (isMoved(value, use))
                offer(use, order);
    }

    /// On from what was reached: to those that read the result, those that write the operands, and those that have an
    /// operand moved as well.
    void flow() {
        for (size_t at = 0; at < reached_.size() && steps_ > 0; ++at) {
            const int number = reached_[at];
            const OrderGraph::Call& call = callOf(number);
            const Way way = *offered_[static_cast<size_t>(number)];
            for (auto use : valueOf(call.result).uses)
                offer(use, way.call.result);
            for (size_t i = 0; i < way.reads.size(); ++i) {
                const int read = call.readings[i].value;
                if (read < 0)
                    continue;
                const std::pair use(number, static_cast<int>(i));
                const Value& value = valueOf(read);
                if (value.producer >= 0)
                    offer(value.producer, resultOrder, AxisOrder(value.orders[static_cast<size_t>(way.reads[i])]));
                if (isMoved(value, use) && OrderGraph::moves(value, written(value), way.reads[i]) <= 0) {
                    tried_.insert(use);
                    offerMoved(read);
                }
            }
        }
    }

    /// Values whose movement depends on what was reached.
    std::vector<int> valuesAround() {
        std::vector<int> around;
        for (int number : reached_) {
            around.push_back(callOf(number).result);
            for (const OrderGraph::Reading& reading : callOf(number).readings)
                if (reading.value >= 0)
                    around.push_back(reading.value);
        }
        std::ranges::sort(around);
        const auto rest = std::ranges::unique(around);
        around.erase(rest.begin(), rest.end());
        return around;
    }

    double movedNow(const std::vector<int>& around) {
        double bytes = 0;
        for (int number : around) {
            bytes += graph_.moved(valueOf(number), [&](int call) -> const Way& { return callOf(call).now; });
            steps_ -= static_cast<int64_t>(valueOf(number).uses.size());
        }
        return bytes;
    }

    /// A value's part of the cut: for each order in which it is read, which calls read it so only while they keep,
    /// only if they change, or either way. Where that cannot be said by an edge, more is said than is paid.
    void addToCut(MinimumCut& cut, const Value& value) {
        struct Readers {
            std::vector<int> keeping, changing;
            bool always = false;
        };
        std::map<int, Readers> readers;
        const auto sequence = [&](int order) { return value.sequences[static_cast<size_t>(order)]; };
        for (int order : value.fixed)
            readers[sequence(order)].always = true;
        for (auto use : value.uses) {
            const int before = sequence(readBy(use));
            const std::optional<Way>& other = offered_[static_cast<size_t>(use.first)];
            const int after = other ? sequence(other->reads[static_cast<size_t>(use.second)]) : before;
            const int node = nodes_[static_cast<size_t>(use.first)];
            if (before == after) {
                readers[before].always = true;
                continue;
            }
            readers[before].keeping.push_back(node);
            readers[after].changing.push_back(node);
        }
        const bool isOffered = value.producer >= 0 && offered_[static_cast<size_t>(value.producer)];
        const int producer = isOffered ? nodes_[static_cast<size_t>(value.producer)] : MinimumCut::keep;
        const int kept = sequence(written(value));
        const int changed = isOffered ? sequence(offered_[static_cast<size_t>(value.producer)]->writes) : kept;
        for (const auto& [order, who] : readers) {
            const bool ifKept = order == kept, ifChanged = order == changed;
            if (ifKept && ifChanged)
                continue;
            if (who.always) {
                if (ifKept)
                    cut.edge(MinimumCut::keep, producer, value.bytes);
                else if (ifChanged)
                    cut.edge(producer, MinimumCut::change, value.bytes);
                continue;
            }
            if (!who.keeping.empty()) {
                const int moved = cut.add(); // keeps if one of those does
                for (int node : who.keeping)
                    cut.edge(node, moved, MinimumCut::never);
                cut.edge(moved, ifKept ? producer : MinimumCut::change, value.bytes);
            }
            if (!who.changing.empty()) {
                const int moved = cut.add(); // changes if one of those does
                for (int node : who.changing)
                    cut.edge(moved, node, MinimumCut::never);
                cut.edge(ifChanged ? producer : MinimumCut::keep, moved, value.bytes);
            }
        }
    }

    /// Changes those of the reached calls that the cut tells, if that moves less.
    bool decide() {
        const std::vector<int> around = valuesAround();
        MinimumCut cut;
        for (int number : reached_)
            nodes_[static_cast<size_t>(number)] = cut.add();
        for (int value : around)
            if (valueOf(value).bytes > 0)
                addToCut(cut, valueOf(value));
        const std::optional<std::vector<bool>> changes = cut.solve(steps_);
        if (!changes)
            return false;
        std::vector<int> changing;
        std::ranges::copy_if(reached_, std::back_inserter(changing), [&](int number) {
            return (*changes)[static_cast<size_t>(nodes_[static_cast<size_t>(number)])];
        });
        return change(changing, around, std::less<>());
    }

    /// Writes these calls as it was offered to them, if what is moved then compares so to what was moved before.
    bool change(const std::vector<int>& changing, const std::vector<int>& around, const auto& isGood) {
        const double before = movedNow(around);
        const auto swapChanging = [&] {
            for (int number : changing)
                std::swap(callOf(number).now, *offered_[static_cast<size_t>(number)]);
        };
        swapChanging();
        if (!isGood(movedNow(around), before)) {
            swapChanging();
            return false;
        }
        for (int number : changing)
            callOf(number).changed = true;
        return true;
    }

    void forgetOffers() {
        for (int number : reached_)
            offered_[static_cast<size_t>(number)].reset();
        reached_.clear();
    }
    bool finish() {
        const bool better = steps_ > 0 && !reached_.empty() && decide();
        forgetOffers();
        return better;
    }

    /// What a call takes without its result or another operand being any other: no reason to move what stands around
    /// it.
    void absorb() {
        for (size_t value = 0; value < values_.size(); ++value)
            for (auto use : values_[value].uses)
                if (steps_ > 0 && isMoved(values_[value], use)) {
                    offer(use, AxisOrder(values_[value].orders[static_cast<size_t>(written(values_[value]))]));
                    absorbed_ |= finish();
                }
    }

    /// What is done to each element of a product's result is done before that is moved, where it moves no more: no cut
    /// tells the two apart, but there it is fused with the product. From each value to those made of it, so in order.
    bool sinkBehindProducts() {
        bool any = false;
        for (size_t number = 0; number < values_.size() && steps_ > 0; ++number) {
            if (!values_[number].isProduct)
                continue;
            for (auto use : values_[number].uses) {
                const OrderGraph::Call& call = callOf(use.first);
                const FusionKind kind = info(call.binding->as<OpCall>()->op).fusion;
                if (kind != FusionKind::Elementwise && kind != FusionKind::Broadcast)
                    continue;
                bool isMoving = isMoved(values_[number], use);
                if (isMoving) {
                    offer(use, AxisOrder(values_[number].orders[static_cast<size_t>(written(values_[number]))]));
                    if (!reached_.empty() && change(reached_, valuesAround(), std::less_equal<>())) {
                        any = true;
                        isMoving = false;
                    }
                    forgetOffers();
                }
                if (!isMoving)
                    valueOf(call.result).isProduct = true;
            }
        }
        return any;
    }

    bool improveAt(int number) {
        const Value& value = valueOf(number);
        steps_ -= 1 + static_cast<int64_t>(value.uses.size());
        bool better = false;
        if (std::ranges::any_of(value.uses, [&](auto use) { return isMoved(value, use) && !tried_.contains(use); })) {
            offerMoved(number);
            flow();
            better = finish();
        }
        return improveProducerOf(number) || better;
    }

    /// By writing it as one of those read it that it is moved for.
    bool improveProducerOf(int number) {
        if (valueOf(number).producer < 0 || valueOf(number).bytes <= 0)
            return false;
        std::vector<int> read = valueOf(number).fixed;
        for (auto use : valueOf(number).uses)
            read.push_back(readBy(use));
        std::set<int> sequences;
        bool better = false;
        for (int order : read) {
            const Value& value = valueOf(number);
            if (OrderGraph::moves(value, written(value), order) <= 0 ||
                !sequences.insert(value.sequences[static_cast<size_t>(order)]).second)
                continue;
            offer(value.producer, resultOrder, AxisOrder(value.orders[static_cast<size_t>(order)]));
            flow();
            better |= finish();
        }
        return better;
    }
};

} // namespace

bool chooseOrders(OrderGraph& graph, int64_t& steps) {
    return Chooser(graph, steps).run();
}

} // namespace lathe::relay::transform
