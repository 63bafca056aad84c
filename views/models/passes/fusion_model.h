// SPDX-License-Identifier: GPL-3.0-or-later
//
// What "fuse" made: the fused functions as a tree, each with its operators below it, and for one of them the operators around
// it as a table, with why they are in it or not. Reasons are the pass's own.
#pragma once

#include "driver/trace.h"
#include "inspect/profile.h"
#include "views/models/window/what_if.h"

#include <QAbstractItemModel>
#include <QAbstractTableModel>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lathe::views::models {

/// How an operator of it is computed, or its values or weights are stored, and what else was offered.
struct FusedChoice {
    struct Option {
        QString text; // "winograd4, estimated 120 k cycles", "blocks of 16"
        bool chosen = false;
        WhatIf wish; // that chooses it
    };
    QString title; // "Conv_3: variant"
    std::vector<Option> options;
};

/// A fused function, or an operator of one: then kernel and figures are absent.
struct FusedRow {
    QString name, kernel, chosen; // chosen: variants and layouts, where there was a choice
    int operators = 0;
    int calls = 0;                      // of kernels; 0: a view
    std::optional<double> flops, bytes; // of one run, where the sizes are known
    std::optional<double> ms;           // of one run, once it was profiled
    std::vector<int> nodes;             // of the model, ascending
    std::vector<FusedRow> members;
    std::vector<FusedChoice> choices; // of a function
};

/// A value that one operator makes and another uses.
struct FusionPairRow {
    QString producer, consumer, why;
    bool joined = false;
    bool keptApart = false;               // by decision
    driver::ApartDecision pair;           // what decides so
    int fromFunction = 0, toFunction = 0; // rows
    int fromMember = 0, toMember = 0;     // rows below them
};

struct FusionRows {
    std::vector<FusedRow> functions;
    std::vector<FusionPairRow> pairs;
};

/// Without the figures of a profile. Of thousands of operators it takes a twentieth of a second: for a worker.
FusionRows fusionRows(const driver::Trace& trace);

class FusionModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Column { Function, Operators, Time, Flops, Bytes, Kernel, Chosen, columns };
    static constexpr int sortRole = Qt::UserRole + 1;
    using QAbstractItemModel::QAbstractItemModel;

    void show(std::vector<FusedRow> functions);
    /// The figures of a run take the place of the estimates.
    void setProfile(const inspect::Profile& profile);
    const std::vector<FusedRow>& functions() const { return functions_; }
    const FusedRow& at(const QModelIndex& index) const;
    /// The function that has most of these nodes, and of several the one with the fewest others; -1: none has any.
    int functionOf(const std::vector<int>& nodes) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<FusedRow> functions_;
    std::unordered_map<int, std::vector<int>> functionsOf_; // by node
};

class FusionPairModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Producer, Consumer, Joined, Why, columns };
    using QAbstractTableModel::QAbstractTableModel;

    void setPairs(std::vector<FusionPairRow> pairs);
    /// Whatever is chosen.
    const std::vector<FusionPairRow>& all() const { return pairs_; }
    /// Those of a function, or of one of its operators alone (-1: all). What did not join comes first.
    void choose(int function, int member);
    const FusionPairRow& at(int row) const { return pairs_[shown_[size_t(row)]]; }
    /// The pairs within a function.
    Pairs joinedIn(int function) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<FusionPairRow> pairs_;
    std::vector<size_t> shown_;
};

} // namespace lathe::views::models
