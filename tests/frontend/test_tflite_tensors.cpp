// SPDX-License-Identifier: Apache-2.0
//
// Constants of TFLite files: packed, misaligned, behind the FlatBuffer, of texts, sparse; and what stored integers
// stand for. Sparse tensors are compared with dense ones that are written out here.
// Links: tflite_schema
#include "frontend/tflite/graph_reader.h"
#include "model/host_tensor.h"
#include "support/program_of_tests.h"
#include "support/tflite_model.h"

#include <QtTest>

#include <cmath>

namespace lathe::testing::test_tflite_tensors {

using namespace ::tflite;

namespace {

std::shared_ptr<model::ModelGraph> read(const std::string& bytes) {
    const auto copy = std::make_shared<std::string>(bytes);
    const auto open = frontend::tflite::openModel({copy, std::as_bytes(std::span(*copy))});
    if (!open)
        qFatal("%s", toString(open.error()).c_str());
    return frontend::tflite::readGraph(*open, "model", "", std::make_shared<Budget>());
}

std::shared_ptr<model::ModelGraph> read(const ModelT& model) {
    return read(bytesOf(model));
}

TensorT& weights(ModelT& model) {
    return *model.subgraphs[0]->tensors[2];
}

/// The small model whose constant has these bytes.
template <class T>
ModelT withConstant(TensorType type, std::vector<int32_t> shape, const std::vector<T>& elements) {
    ModelT model = smallTflite();
    weights(model).buffer = addBuffer(model, elements);
    weights(model).shape = std::move(shape);
    weights(model).type = type;
    return model;
}

std::string said(const model::ModelGraph& graph) {
    std::string all;
    for (const Diagnostic& diagnostic : graph.diagnostics)
        all += toString(diagnostic) + "\n";
    return all;
}

/// The constant's elements; none if the model is refused.
std::vector<double> elements(const std::shared_ptr<model::ModelGraph>& graph) {
    const model::TensorData& tensor = *graph->graph->initializers.at(0).tensor;
    std::vector<double> all;
    if (graph->diagnostics.empty())
        for (int64_t i = 0; i < tensor.elements(); ++i)
            all.push_back(model::elementAsDouble(tensor.dtype, tensor.bytes.view, static_cast<size_t>(i)));
    return all;
}

const model::ValueType& typeOfConstant(const model::ModelGraph& graph) {
    return std::ranges::find(graph.graph->values, "w", &model::Value::name)->type;
}

std::unique_ptr<DimensionMetadataT> dense(int32_t size) {
    auto level = std::make_unique<DimensionMetadataT>();
    level->dense_size = size;
    return level;
}

template <class Vector>
std::unique_ptr<DimensionMetadataT> rows(decltype(Vector::values) segments, decltype(Vector::values) indices) {
    auto level = std::make_unique<DimensionMetadataT>();
    level->format = DimensionType_SPARSE_CSR;
    Vector vector;
    vector.values = std::move(segments);
    level->array_segments.Set(std::move(vector));
    Vector other;
    other.values = std::move(indices);
    level->array_indices.Set(std::move(other));
    return level;
}

template <class... Levels>
std::unique_ptr<SparsityParametersT> sparsity(std::vector<int32_t> order, std::vector<int32_t> blocks,
                                              Levels... levels) {
    auto made = std::make_unique<SparsityParametersT>();
    made->traversal_order = std::move(order);
    made->block_map = std::move(blocks);
    (made->dim_metadata.push_back(std::move(levels)), ...);
    return made;
}

/// Of shape [3, 4], elements 1 at (0, 1), 2 at (0, 3), 3 at (2, 0), by rows.
ModelT sparseRows() {
    ModelT model = withConstant<float>(TensorType_FLOAT32, {3, 4}, {1, 2, 3});
    weights(model).sparsity = sparsity({0, 1}, {}, dense(3), rows<Int32VectorT>({0, 2, 2, 3}, {1, 3, 0}));
    return model;
}

/// Of shape [4, 4] in blocks of 2 by 2: the upper right one, and the lower left one.
ModelT sparseBlocks() {
    ModelT model = withConstant<float>(TensorType_FLOAT32, {4, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    weights(model).sparsity =
        sparsity({0, 1, 2, 3}, {0, 1}, dense(2), rows<Uint8VectorT>({0, 1, 2}, {1, 0}), dense(2), dense(2));
    return model;
}

} // namespace

class TestTfliteTensors : public QObject {
    Q_OBJECT
private slots:
    void packedIntegers() {
        // 1, -2 | 3, -8 | 7: the first of two in the low bits.
        auto graph = read(withConstant<uint8_t>(TensorType_INT4, {5}, {0xe1, 0x83, 0x07}));
        QCOMPARE(elements(graph), (std::vector<double>{1, -2, 3, -8, 7}));
        QVERIFY(graph->graph->initializers[0].tensor->dtype == types::Int4);
        graph = read(withConstant<uint8_t>(TensorType_UINT4, {5}, {0xe1, 0x83, 0x07}));
        QCOMPARE(elements(graph), (std::vector<double>{1, 14, 3, 8, 7}));
        graph = read(withConstant<uint8_t>(TensorType_INT2, {6}, {0b11100100, 0b0110}));
        QCOMPARE(elements(graph), (std::vector<double>{0, 1, -2, -1, -2, 1}));
        QVERIFY(said(*read(withConstant<uint8_t>(TensorType_INT4, {5}, {0xe1, 0x83}))).find("2 bytes") !=
                std::string::npos);
    }

    void boolsAreZeroOrOne() {
        QCOMPARE(elements(read(withConstant<uint8_t>(TensorType_BOOL, {3}, {0, 1, 255}))),
                 (std::vector<double>{0, 1, 1}));
    }

    void scalarsAndNothing() {
        auto graph = read(withConstant<int64_t>(TensorType_INT64, {}, {int64_t{1} << 40}));
        QCOMPARE(elements(graph), (std::vector<double>{0x1p40}));
        QVERIFY(graph->graph->initializers[0].tensor->shape.empty());
        // A tensor without elements needs no buffer.
        ModelT none = withConstant<float>(TensorType_FLOAT32, {0, 3}, {});
        weights(none).buffer = 0;
        graph = read(none);
        QCOMPARE(said(*graph), std::string());
        QCOMPARE(graph->graph->initializers.at(0).tensor->shape, (std::vector<int64_t>{0, 3}));
    }

    /// Elements that do not lie at a multiple of their size are copied to where they do.
    void misaligned() {
        ModelT behind = withConstant<double>(TensorType_FLOAT64, {2}, {});
        behind.buffers.back()->offset = 1'000'001;
        behind.buffers.back()->size = 16;
        std::string bytes = bytesOf(behind);
        bytes.resize(1'000'001);
        const double values[] = {0.5, -3};
        bytes.append(reinterpret_cast<const char*>(values), sizeof values);
        const auto graph = read(bytes);
        QCOMPARE(elements(graph), (std::vector<double>{0.5, -3}));
        const auto* at = graph->graph->initializers[0].tensor->bytes.view.data();
        QCOMPARE(reinterpret_cast<uintptr_t>(at) % sizeof(double), uintptr_t{0});
    }

    void sharedBuffers() {
        ModelT model = withConstant<uint8_t>(TensorType_INT4, {4}, {0x21, 0x43});
        const int32_t other = addTensor(*model.subgraphs[0], "v", {2, 2}, TensorType_INT4, weights(model).buffer);
        model.subgraphs[0]->operators[0]->inputs[1] = other;
        const auto graph = read(model);
        QCOMPARE(said(*graph), std::string());
        const auto& initializers = graph->graph->initializers;
        QCOMPARE(initializers.size(), size_t{2});
        QCOMPARE(initializers[0].tensor->bytes.view.data(), initializers[1].tensor->bytes.view.data());
    }

    void texts() {
        // Two texts, "ab" and "": their number, where each begins and the last ends, and their letters.
        const std::vector<uint8_t> good{2, 0, 0, 0, 16, 0, 0, 0, 18, 0, 0, 0, 18, 0, 0, 0, 'a', 'b'};
        const auto graph = read(withConstant(TensorType_STRING, {2}, good));
        QCOMPARE(said(*graph), std::string());
        QCOMPARE(graph->graph->initializers[0].tensor->strings, (std::vector<std::string>{"ab", ""}));
        for (const auto& [at, byte] : {std::pair<size_t, uint8_t>{0, 3}, {3, 0x80}, {4, 19}, {7, 0x80}, {12, 19}}) {
            std::vector<uint8_t> wrong = good;
            wrong[at] = byte;
            QVERIFY(!read(withConstant(TensorType_STRING, {2}, wrong))->diagnostics.empty());
        }
        for (size_t size = 1; size < good.size(); ++size) {
            const std::vector<uint8_t> cut(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
            QVERIFY(!read(withConstant(TensorType_STRING, {2}, cut))->diagnostics.empty());
        }
    }

    void sparse_data() {
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<std::vector<double>>("expected");
        const std::vector<double> byRows{0, 1, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0};
        QTest::newRow("rows") << bytesOf(sparseRows()) << byRows;
        ModelT columns = withConstant<float>(TensorType_FLOAT32, {3, 4}, {3, 1, 2});
        weights(columns).sparsity = sparsity({1, 0}, {}, dense(4), rows<Uint16VectorT>({0, 1, 2, 2, 3}, {2, 0, 0}));
        QTest::newRow("columns") << bytesOf(columns) << byRows;
        ModelT both = withConstant<float>(TensorType_FLOAT32, {3, 4}, {1, 2, 3});
        weights(both).sparsity =
            sparsity({0, 1}, {}, rows<Int32VectorT>({0, 2}, {0, 2}), rows<Int32VectorT>({0, 2, 3}, {1, 3, 0}));
        QTest::newRow("both sparse") << bytesOf(both) << byRows;
        const std::vector<double> byBlocks{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0};
        QTest::newRow("blocks") << bytesOf(sparseBlocks()) << byBlocks;
        ModelT turned = sparseBlocks();
        weights(turned).buffer = addBuffer<float>(turned, {1, 3, 2, 4, 5, 7, 6, 8});
        weights(turned).sparsity->traversal_order = {0, 1, 3, 2};
        QTest::newRow("blocks by columns") << bytesOf(turned) << byBlocks;
        ModelT strips = withConstant<int8_t>(TensorType_INT8, {2, 4}, {1, 2, 3, 4});
        weights(strips).sparsity = sparsity({0, 1, 2}, {1}, dense(2), rows<Uint8VectorT>({0, 1, 2}, {1, 0}), dense(2));
        QTest::newRow("blocks along one dimension") << bytesOf(strips) << std::vector<double>{0, 0, 1, 2, 3, 4, 0, 0};
        ModelT all = withConstant<float>(TensorType_FLOAT32, {2, 2}, {1, 2, 3, 4});
        weights(all).sparsity = sparsity({1, 0}, {}, dense(2), dense(2));
        QTest::newRow("dense") << bytesOf(all) << std::vector<double>{1, 3, 2, 4};
    }
    void sparse() {
        QFETCH(std::string, bytes);
        QFETCH(std::vector<double>, expected);
        const auto graph = read(bytes);
        QCOMPARE(said(*graph), std::string());
        QCOMPARE(elements(graph), expected);
    }

    void wrongSparse_data() {
        using Change = void (*)(SparsityParametersT&);
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* name, const char* what, Change change) {
            ModelT model = sparseBlocks();
            change(*weights(model).sparsity);
            QTest::newRow(name) << bytesOf(model) << what;
        };
        row("index", "index 2 at level 1",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 1, 2}, {1, 2}); });
        row("negative index", "index -1 at level 1",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 1, 2}, {1, -1}); });
        row("rows out of order", "do not share out",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 3, 2}, {1, 0}); });
        row("rows behind the end", "do not share out",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 1, 3}, {1, 0}); });
        row("too few rows", "2 bounds of rows at level 1 where 2 elements are above",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 2}, {1, 0}); });
        row("too few elements", "32 bytes of data where its levels ask for 4 elements",
            [](SparsityParametersT& s) { s.dim_metadata[1] = rows<Int32VectorT>({0, 1, 1}, {1}); });
        row("block's dimension", "blocks along dimension 5", [](SparsityParametersT& s) { s.block_map[1] = 5; });
        row("block's size", "blocks of 3 along a dimension of 4",
            [](SparsityParametersT& s) { s.dim_metadata[3]->dense_size = 3; });
        row("no block", "blocks of 0", [](SparsityParametersT& s) { s.dim_metadata[3]->dense_size = 0; });
        row("sparse block", "blocks are sparse",
            [](SparsityParametersT& s) { s.dim_metadata[3] = rows<Int32VectorT>({0, 1, 2, 3, 4}, {0, 0, 0, 0}); });
        row("size of a level", "7 indices at level 0",
            [](SparsityParametersT& s) { s.dim_metadata[0]->dense_size = 7; });
        row("order", "dimension 0 in its order at 1", [](SparsityParametersT& s) { s.traversal_order[1] = 0; });
        row("order of a block", "dimension 1 in its order at 2",
            [](SparsityParametersT& s) { s.traversal_order[2] = 1; });
        row("levels", "3 levels", [](SparsityParametersT& s) { s.dim_metadata.pop_back(); });
        row("format", "unknown format 5", [](SparsityParametersT& s) { s.dim_metadata[0]->format = DimensionType(5); });
        // 16 GiB from one element.
        ModelT bomb = withConstant<float>(TensorType_FLOAT32, {1 << 20, 1 << 12}, {1});
        weights(bomb).sparsity = sparsity({0, 1}, {}, rows<Int32VectorT>({0, 1}, {0}), rows<Int32VectorT>({0, 1}, {0}));
        QTest::newRow("dense elements") << bytesOf(bomb) << "more than the limit of";
        ModelT narrow = withConstant<uint8_t>(TensorType_INT4, {3, 4}, {0x21, 0x03});
        weights(narrow).sparsity = std::move(weights(bomb).sparsity);
        QTest::newRow("packed") << bytesOf(narrow) << "sparse constants of int4";
    }
    void wrongSparse() {
        QFETCH(std::string, bytes);
        QFETCH(QString, what);
        const std::string found = said(*read(bytes));
        QVERIFY2(found.find(what.toStdString()) != std::string::npos, found.c_str());
        QVERIFY(found.find("tensor 'w'") != std::string::npos);
    }

    void quantized() {
        ModelT model = withConstant<int8_t>(TensorType_INT8, {2, 3}, {1, 2, 3, 4, 5, 6});
        auto& parameters = weights(model).quantization = std::make_unique<QuantizationParametersT>();
        parameters->scale = {0.5F};
        parameters->zero_point = {-7};
        parameters->quantized_dimension = 9; // of no meaning
        const auto one = typeOfConstant(*read(model)).quantization;
        QVERIFY(one);
        QCOMPARE(one->scale, std::vector<double>{0.5});
        QCOMPARE(one->zeroPoint, std::vector<int64_t>{-7});
        parameters->scale = {0.5F, 0.25F, 2};
        parameters->quantized_dimension = 1;
        parameters->zero_point = {1, 2, 3};
        const auto three = typeOfConstant(*read(model)).quantization;
        QCOMPARE(three->scale, (std::vector<double>{0.5, 0.25, 2}));
        QCOMPARE(three->zeroPoint, (std::vector<int64_t>{1, 2, 3}));
        QCOMPARE(three->axis, int64_t{1});
        parameters->zero_point = {};
        QCOMPARE(typeOfConstant(*read(model)).quantization->zeroPoint, (std::vector<int64_t>{0, 0, 0}));
        parameters->scale = {0};
        QVERIFY(!typeOfConstant(*read(model)).quantization);
        parameters->scale = {};
        QVERIFY(!typeOfConstant(*read(model)).quantization);
        // Floats stand for themselves.
        ModelT floats = smallTflite();
        weights(floats).quantization = std::make_unique<QuantizationParametersT>();
        weights(floats).quantization->scale = {0.5F};
        QVERIFY(!typeOfConstant(*read(floats)).quantization);
    }

    /// Old converters gave biases the axis that the weights have.
    void axisOfAnOldBias() {
        ModelT model = withConstant<int32_t>(TensorType_INT32, {3}, {1, 2, 3});
        auto& parameters = weights(model).quantization = std::make_unique<QuantizationParametersT>();
        parameters->scale = {0.5F, 0.25F, 2};
        parameters->quantized_dimension = 3;
        const auto graph = read(model);
        QCOMPARE(typeOfConstant(*graph).quantization->axis, int64_t{0});
        QCOMPARE(graph->diagnostics.size(), size_t{1});
        QVERIFY(graph->diagnostics[0].severity == Severity::Warning);
        QVERIFY(!graph->diagnostics[0].node.empty());
    }

    void wrongQuantization_data() {
        using Change = void (*)(QuantizationParametersT&);
        QTest::addColumn<std::string>("bytes");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* name, const char* what, Change change) {
            ModelT model = withConstant<int8_t>(TensorType_INT8, {2, 3}, {1, 2, 3, 4, 5, 6});
            weights(model).quantization = std::make_unique<QuantizationParametersT>();
            weights(model).quantization->scale = {1, 2};
            change(*weights(model).quantization);
            QTest::newRow(name) << bytesOf(model) << what;
        };
        row("axis", "along dimension 7 of 2", [](QuantizationParametersT& q) { q.quantized_dimension = 7; });
        row("negative axis", "along dimension -1 of 2", [](QuantizationParametersT& q) { q.quantized_dimension = -1; });
        row("scales", "2 scales along a dimension of 3", [](QuantizationParametersT& q) { q.quantized_dimension = 1; });
        row("zero points", "2 scales and 3 zero points", [](QuantizationParametersT& q) { q.zero_point = {0, 0, 0}; });
        row("zero point", "zero point 128, which int8 cannot hold",
            [](QuantizationParametersT& q) { q.zero_point = {0, 128}; });
        row("negative scale", "the scale -1", [](QuantizationParametersT& q) { q.scale = {1, -1}; });
        row("no number", "the scale nan", [](QuantizationParametersT& q) { q.scale = {1, std::nanf("")}; });
        row("blocks", "quantized in blocks",
            [](QuantizationParametersT& q) { q.details.Set(BlockwiseQuantizationT()); });
    }
    void wrongQuantization() {
        QFETCH(std::string, bytes);
        QFETCH(QString, what);
        const std::string found = said(*read(bytes));
        QVERIFY2(found.find(what.toStdString()) != std::string::npos, found.c_str());
        QVERIFY(found.find("tensor 'w'") != std::string::npos);
    }

    void shapesThatAreNotSaid() {
        ModelT model = smallTflite();
        model.subgraphs[0]->tensors[0]->shape.clear();
        const int32_t inside = addTensor(*model.subgraphs[0], "inside", {});
        addOperator(model, *model.subgraphs[0], BuiltinOperator_RELU, {0}, {inside});
        const auto graph = read(model);
        QVERIFY(graph->graph->inputs[0].type.hasShape); // a scalar
        QVERIFY(!std::ranges::find(graph->graph->values, "inside", &model::Value::name)->type.hasShape);
    }
};

Test test() {
    return {makes<TestTfliteTensors>};
}

} // namespace lathe::testing::test_tflite_tensors

#include "test_tflite_tensors.moc"
