// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/operators.h"

#include "frontend/torch/aliases.h"
#include "frontend/torch/ops.h"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace lathe::frontend::torch {
namespace {

using Table = std::map<std::string, Operator, std::less<>>;

Table makeTable() {
    Table table;
    for (const std::span<const Row> rows : {rowsOfActivations(),     rowsOfAdaptivePools(),
                                            rowsOfArithmetic(),      rowsOfAttention(),
                                            rowsOfBatchNorms(),      rowsOfBits(),
                                            rowsOfComparisons(),     rowsOfConversions(),
                                            rowsOfConvolutions(),    rowsOfCtc(),
                                            rowsOfDiagonal(),        rowsOfDistance(),
                                            rowsOfEmbedding(),       rowsOfFactors(),
                                            rowsOfFills(),           rowsOfFrames(),
                                            rowsOfGamma(),           rowsOfGather(),
                                            rowsOfIndex(),           rowsOfJoin(),
                                            rowsOfLinear(),          rowsOfLosses(),
                                            rowsOfMarginLosses(),    rowsOfMath(),
                                            rowsOfMatrixFunctions(), rowsOfMatrixNorms(),
                                            rowsOfNorms(),           rowsOfNumbers(),
                                            rowsOfOrder(),           rowsOfPad(),
                                            rowsOfPools(),           rowsOfQuantized(),
                                            rowsOfRandom(),          rowsOfRecurrences(),
                                            rowsOfReductions(),      rowsOfRepeat(),
                                            rowsOfScans(),           rowsOfSearch(),
                                            rowsOfSegment(),         rowsOfSizes(),
                                            rowsOfSlice(),           rowsOfSolve(),
                                            rowsOfSorts(),           rowsOfSpecials(),
                                            rowsOfSpectral(),        rowsOfSplit(),
                                            rowsOfStatistics(),      rowsOfTransformers(),
                                            rowsOfUnfold(),          rowsOfUnpool(),
                                            rowsOfUpsample(),        rowsOfView(),
                                            rowsOfVision(),          rowsOfWindowFunctions()})
        for (const Row& row : rows) {
            Result<Schema> schema = parseSchema(row.schema);
            LATHE_ASSERT(schema, fmt::format("schema '{}': {}", row.schema, schema ? "" : schema.error().what));
            std::string name = schema->name;
            const bool isNew = table.try_emplace(name, *std::move(schema), row.convert, row.family).second;
            LATHE_ASSERT(isNew, fmt::format("operator {} stands in the table twice", name));
        }
    for (const Alias& alias : aliases()) {
        const auto found = table.find(alias.of);
        LATHE_ASSERT(found != table.end(), fmt::format("there is no operator {}", alias.of));
        Operator same = found->second;
        same.schema.name = std::string(alias.name);
        const bool isNew = table.try_emplace(same.schema.name, same).second;
        LATHE_ASSERT(isNew, fmt::format("operator {} stands in the table twice", alias.name));
    }
    return table;
}

const Table& table() {
    static const Table all = makeTable();
    return all;
}

} // namespace

const Operator* findOperator(std::string_view name) {
    const auto found = table().find(name);
    return found == table().end() ? nullptr : &found->second;
}

const Operator* findAssigned(std::string_view name) {
    const size_t overload = name.rfind('.');
    if (overload == std::string_view::npos || overload < 2 || name[overload - 1] != '_' || name[overload - 2] == '_')
        return nullptr;
    return findOperator(std::string(name.substr(0, overload - 1)) + std::string(name.substr(overload)));
}

std::vector<const Operator*> overloadsOf(std::string_view name) {
    const std::string prefix = fmt::format("{}.", name);
    std::vector<const Operator*> found;
    for (auto at = table().lower_bound(prefix); at != table().end() && at->first.starts_with(prefix); ++at)
        if (at->first.find('.', prefix.size()) == std::string::npos)
            found.push_back(&at->second);
    return found;
}

std::vector<std::string_view> operatorNames() {
    std::vector<std::string_view> names;
    for (const auto& [name, entry] : table())
        names.push_back(name);
    return names;
}

} // namespace lathe::frontend::torch
