// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which inputs of a model come from files: a row for each, of which there may be hundreds, whose file can be written into its
// cell. A file is looked for when it is set, and no other with it: file systems may be slow.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lathe::views::models {

class InputFilesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, File, columns };
    using Exists = std::function<bool(const QString& file)>;

    explicit InputFilesModel(QObject* parent = nullptr);
    /// Asks this for files instead of the file system.
    InputFilesModel(Exists exists, QObject* parent);

    /// Files by the names of inputs; those of other names are left out.
    void show(std::vector<QString> names, const std::map<std::string, std::string>& files);
    /// Empty: drawn at random.
    void setFile(int row, const QString& file);
    /// A data set: input_N.pb for the input of row N.
    void setFolder(const QString& folder);
    /// By name, with absolute paths.
    std::map<std::string, std::string> files() const;
    const QString& name(int row) const { return rows_[size_t(row)].name; }
    const QString& file(int row) const { return rows_[size_t(row)].file; }
    /// Of the first row whose file is not there; empty: all are. What is in them, a run says.
    QString problem() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString name, file;
        bool missing = false;
    };
    QString problemOf(const Row& row) const;

    Exists exists_;
    std::vector<Row> rows_;
};

} // namespace lathe::views::models
