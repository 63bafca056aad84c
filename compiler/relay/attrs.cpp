// SPDX-License-Identifier: Apache-2.0
//
// Attributes as values: collected through their one list of fields.
#include "relay/attrs.h"

#include "relay/attr_fields.h"
#include "relay/ir.h"

#include <bit>
#include <typeinfo>

namespace lathe::relay {
namespace {

class Collector : public AttrReader {
public:
    std::vector<AttrField> fields;
    void field(const char* name, const bool& value) override { fields.push_back({name, value}); }
    void field(const char* name, const int64_t& value) override { fields.push_back({name, value}); }
    void field(const char* name, const double& value) override { fields.push_back({name, value}); }
    void field(const char* name, const std::string& value) override { fields.push_back({name, value}); }
    void field(const char* name, const DataType& value) override { fields.push_back({name, value}); }
    void field(const char* name, const std::vector<int64_t>& value) override { fields.push_back({name, value}); }
    void field(const char* name, const std::vector<double>& value) override { fields.push_back({name, value}); }
    void field(const char* name, const Expr& value) override { fields.push_back({name, value}); }
    void field(const char* name, const std::vector<Expr>& value) override { fields.push_back({name, value}); }
    void field(const char* name, const std::shared_ptr<const Layout>& value) override {
        fields.push_back({name, value});
    }
};

class ExprMapper : public AttrWriter {
public:
    const std::function<Expr(const Expr&)>* fn = nullptr;
    bool changed = false;
    void field(const char*, bool&) override {}
    void field(const char*, int64_t&) override {}
    void field(const char*, double&) override {}
    void field(const char*, std::string&) override {}
    void field(const char*, DataType&) override {}
    void field(const char*, std::vector<int64_t>&) override {}
    void field(const char*, std::vector<double>&) override {}
    void field(const char*, std::shared_ptr<const Layout>&) override {}
    void field(const char*, Expr& value) override {
        if (!value)
            return;
        Expr mapped = (*fn)(value);
        changed |= !mapped.same(value);
        value = mapped;
    }
    void field(const char* name, std::vector<Expr>& value) override {
        for (Expr& element : value)
            field(name, element);
    }
};

bool equalExpr(const Expr& a, const Expr& b) {
    return a.same(b) || (a && b && arith::structurallyEqual(a, b));
}

bool sameBits(double a, double b) {
    return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

} // namespace

std::vector<AttrField> fieldsOf(const AttrsPtr& attrs) {
    Collector collector;
    if (attrs)
        attrs->read(collector);
    return std::move(collector.fields);
}

bool equalValue(const AttrValue& a, const AttrValue& b) {
    if (a.index() != b.index())
        return false;
    if (auto* number = std::get_if<double>(&a))
        return sameBits(*number, std::get<double>(b));
    if (auto* list = std::get_if<std::vector<double>>(&a))
        return std::ranges::equal(*list, std::get<std::vector<double>>(b), sameBits);
    if (auto* expr = std::get_if<Expr>(&a))
        return equalExpr(*expr, std::get<Expr>(b));
    if (auto* list = std::get_if<std::vector<Expr>>(&a))
        return std::ranges::equal(*list, std::get<std::vector<Expr>>(b), equalExpr);
    if (auto* layout = std::get_if<LayoutPtr>(&a)) {
        const LayoutPtr& other = std::get<LayoutPtr>(b);
        return *layout == other || (*layout && other && **layout == *other);
    }
    if (auto* value = std::get_if<bool>(&a))
        return *value == std::get<bool>(b);
    if (auto* value = std::get_if<int64_t>(&a))
        return *value == std::get<int64_t>(b);
    if (auto* value = std::get_if<std::string>(&a))
        return *value == std::get<std::string>(b);
    if (auto* value = std::get_if<DataType>(&a))
        return *value == std::get<DataType>(b);
    return std::get<std::vector<int64_t>>(a) == std::get<std::vector<int64_t>>(b);
}

void visitExprs(const AttrsPtr& attrs, const std::function<void(const Expr&)>& fn) {
    for (const AttrField& field : fieldsOf(attrs)) {
        if (auto* expr = std::get_if<Expr>(&field.value); expr && *expr)
            fn(*expr);
        if (auto* list = std::get_if<std::vector<Expr>>(&field.value))
            for (const Expr& expr : *list)
                if (expr)
                    fn(expr);
    }
}

AttrsPtr mapExprs(const AttrsPtr& attrs, const std::function<Expr(const Expr&)>& fn) {
    if (!attrs)
        return attrs;
    std::shared_ptr<Attrs> copy = attrs->clone();
    ExprMapper mapper;
    mapper.fn = &fn;
    copy->write(mapper);
    return mapper.changed ? AttrsPtr(copy) : attrs;
}

bool equalAttrs(const AttrsPtr& a, const AttrsPtr& b) {
    if (a == b)
        return true;
    if (!a || !b)
        return false;
    const Attrs &left = *a, &right = *b;
    if (typeid(left) != typeid(right))
        return false;
    std::vector<AttrField> fields = fieldsOf(a), others = fieldsOf(b);
    for (size_t i = 0; i < fields.size(); ++i)
        if (!equalValue(fields[i].value, others[i].value))
            return false;
    return true;
}

} // namespace lathe::relay
