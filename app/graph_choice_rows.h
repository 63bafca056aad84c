// SPDX-License-Identifier: GPL-3.0-or-later
//
// Rows of a form, in which is said which graph of a model's file is opened: by which signature, which part of it, and what the
// model does not declare. Those alone are shown that the open model's format knows, and those that were filled in.
#pragma once

#include "model/model_graph.h"
#include "project/graph_choice.h"

#include <QObject>
#include <vector>

class QComboBox;
class QFormLayout;
class QPlainTextEdit;

namespace lathe::app {

class GraphChoiceRows : public QObject {
    Q_OBJECT

public:
    /// graph: the open model, or null.
    GraphChoiceRows(const project::GraphChoice& given, const model::ModelGraph* graph, QFormLayout& form,
                    QObject* parent);

    project::GraphChoice choice() const;
    void show(const project::GraphChoice& choice);

signals:
    void changed();

private:
    struct Field {
        std::vector<std::string> project::GraphChoice::* words;
        QPlainTextEdit* lines;
    };
    void addSignatures(const project::GraphChoice& given, const model::ModelGraph* graph, QFormLayout& form);
    void addField(std::vector<std::string> project::GraphChoice::* words, const QString& label, const char* name,
                  const QString& tip, bool isShown, QFormLayout& form);

    QComboBox* signature_;
    std::vector<Field> fields_;
};

} // namespace lathe::app
