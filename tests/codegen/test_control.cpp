// SPDX-License-Identifier: Apache-2.0
//
// Everything around the loops: branches and padding, masks, gathers, workspace, chunks of parallel loops, checks and
// their status, the entry and its calls, provenance of instructions, and that an artifact needs no library.
#include "build.h"
#include "codegen/codegen.h"
#include "harness.h"

#include "support/program_of_tests.h"
#include "tir/transform/number_checks.h"

#include <QTest>
#include <cstring>
#include <elf.h>
#include <set>

namespace lathe::testing::test_control {

using namespace lathe::codegen;
using namespace lathe::codegen::testing;
using arith::Intrinsic;
using arith::load;
using tir::ForKind;
using tir::Scope;

namespace {

Expr f32(double value) {
    return arith::floatImm(value, types::Float32);
}

Expr runtime(int function, std::vector<Expr> args, DataType type) {
    args.insert(args.begin(), Expr(function));
    return arith::call(Intrinsic::RtCall, std::move(args), type);
}

/// Dynamic symbols without a section, besides the null symbol.
int undefinedSymbols(const std::vector<std::byte>& image) {
    Elf64_Ehdr header;
    std::memcpy(&header, image.data(), sizeof header);
    int undefined = 0;
    for (int i = 0; i < header.e_shnum; ++i) {
        Elf64_Shdr section;
        std::memcpy(&section, image.data() + header.e_shoff + static_cast<size_t>(i) * sizeof section, sizeof section);
        if (section.sh_type != SHT_DYNSYM)
            continue;
        for (size_t at = sizeof(Elf64_Sym); at < section.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            std::memcpy(&symbol, image.data() + section.sh_offset + at, sizeof symbol);
            undefined += symbol.st_shndx == SHN_UNDEF;
        }
    }
    return undefined;
}

} // namespace

class TestControl : public QObject {
    Q_OBJECT

private slots:
    /// A window of 3 with zero padding, written as a select around a load that is outside of the buffer at the borders.
    void padding() {
        Var n = arith::symbol("n", 1, 1000);
        auto a = tir::makeBuffer("a", types::Float32, {n}), out = tir::makeBuffer("out", types::Float32, {n});
        for (ForKind kind : {ForKind::Serial, ForKind::Vectorized}) {
            Var i = arith::var("i"), v = arith::var("v"), k = arith::var("k");
            Expr at = i * Expr(8) + v, from = at + k - Expr(1);
            Expr inside = arith::logicalAnd(arith::ge(from, Expr(0)), arith::lt(from, n));
            tir::Stmt add = store(out, {at}, load(out, {at}) + arith::select(inside, load(a, {from}), f32(0)));
            tir::Stmt body = when(arith::lt(at, n), list({store(out, {at}, f32(0)), loop(k, Expr(3), add)}));
            auto function =
                kernel("padding", {a, out}, {n}, loop(i, arith::ceilDiv(n, Expr(8)), loop(v, Expr(8), body, kind)));
            for (int64_t size : {1, 8, 13, 64})
                QCOMPARE(compare({function, {size}, 1e-6}), std::string());
        }
    }

    /// A branch on data becomes masks; masked lanes neither divide by zero nor write.
    void masks() {
        auto a = tir::makeBuffer("a", types::Int32, {Expr(64)}), b = tir::makeBuffer("b", types::Int32, {Expr(64)}),
             out = tir::makeBuffer("out", types::Int32, {Expr(64)});
        Var i = arith::var("i"), v = arith::var("v");
        Expr at = i * Expr(16) + v;
        Expr divisor = load(b, {at});
        tir::Stmt body =
            when(arith::ne(divisor, arith::zero(types::Int32)), store(out, {at}, arith::div(load(a, {at}), divisor)),
                 store(out, {at}, arith::intImm(-7, types::Int32)));
        Case test{kernel("masks", {a, b, out}, {}, loop(i, Expr(4), loop(v, Expr(16), body, ForKind::Vectorized))), {}};
        test.lowInt = -2;
        test.highInt = 2;
        QCOMPARE(compare(test), std::string());
    }

    void gatherAndScatter() {
        auto index = tir::makeBuffer("index", types::Int64, {Expr(40)}),
             a = tir::makeBuffer("a", types::Float32, {Expr(16), Expr(5)});
        auto out = tir::makeBuffer("out", types::Float32, {Expr(40), Expr(5)}),
             counts = tir::makeBuffer("counts", types::Int32, {Expr(16)});
        Var i = arith::var("i"), j = arith::var("j"), v = arith::var("v"), z = arith::var("z");
        Expr row = arith::cast(load(index, {i}), types::Index);
        Expr wide = arith::cast(load(index, {v}), types::Index);
        tir::Stmt body = list({
            loop(i, Expr(40), loop(j, Expr(5), store(out, {i, j}, load(a, {row, j})), ForKind::Vectorized)),
            loop(z, Expr(16), store(counts, {z}, arith::intImm(0, types::Int32)), ForKind::Vectorized),
            loop(v, Expr(40), store(counts, {wide}, load(counts, {wide}) + arith::intImm(1, types::Int32)),
                 ForKind::Vectorized), // lanes may meet: stays serial
        });
        Case test{kernel("gather", {index, a, out, counts}, {}, body, 2), {}};
        test.lowInt = 0;
        test.highInt = 15;
        QCOMPARE(compare(test), std::string());
    }

    /// Strided and reversed access, a transpose, a Local buffer for each lane, 24 and 7 lanes, a sum into one element.
    void lanes() {
        auto a = tir::makeBuffer("a", types::Float32, {Expr(24), Expr(7)}),
             b = tir::makeBuffer("b", types::Float32, {Expr(7), Expr(24)}),
             sum = tir::makeBuffer("sum", types::Float32, {Expr(1)});
        auto local = tir::makeBuffer("local", types::Float32, {Expr(2)}, Scope::Local);
        Var i = arith::var("i"), j = arith::var("j"), i2 = arith::var("i2"), j2 = arith::var("j2"), s = arith::var("s");
        tir::Stmt twice = allocate(local, list({store(local, {Expr(0)}, load(a, {Expr(23) - i, j})),
                                                store(local, {Expr(1)}, load(local, {Expr(0)}) * f32(2)),
                                                store(b, {j, i}, load(local, {Expr(1)}))}));
        tir::Stmt body = list({
            loop(j, Expr(7), loop(i, Expr(24), twice, ForKind::Vectorized)),
            loop(i2, Expr(24), loop(j2, Expr(7), store(b, {j2, i2}, load(b, {j2, i2}) + f32(1)), ForKind::Vectorized)),
            store(sum, {Expr(0)}, f32(0)),
            loop(s, Expr(24), store(sum, {Expr(0)}, load(sum, {Expr(0)}) + load(b, {Expr(3), s})), ForKind::Vectorized),
        });
        QCOMPARE(compare({kernel("lanes", {a, b, sum}, {}, body, 2), {}, 1e-5}), std::string());
    }

    /// Two workspace buffers of symbolic size, one after the other, and one for each row of a parallel loop.
    void workspace() {
        Var n = arith::symbol("n", 1, 1000);
        auto a = tir::makeBuffer("a", types::Float32, {n, n}), out = tir::makeBuffer("out", types::Float32, {n, n});
        auto t = tir::makeBuffer("t", types::Float32, {n, n}, Scope::Workspace),
             u = tir::makeBuffer("u", types::Float32, {n, n}, Scope::Workspace);
        auto row = tir::makeBuffer("row", types::Float32, {n}, Scope::Workspace);
        auto map = [&](const tir::BufferPtr& to, const tir::BufferPtr& from, double factor) {
            Var i = arith::var("i"), j = arith::var("j");
            return loop(i, n, loop(j, n, store(to, {i, j}, load(from, {j, i}) * f32(factor))), ForKind::Parallel);
        };
        Var p = arith::var("p"), x = arith::var("x"), y = arith::var("y");
        tir::Stmt rows =
            loop(p, n,
                 allocate(row, list({loop(x, n, store(row, {x}, load(u, {p, n - Expr(1) - x}))),
                                     loop(y, n, store(out, {p, y}, load(row, {y}) + load(row, {Expr(0)})))})),
                 ForKind::Parallel);
        auto function =
            kernel("workspace", {a, out}, {n}, allocate(t, allocate(u, list({map(t, a, 2), map(u, t, 3), rows}))));
        for (int64_t size : {1, 5, 200})
            QCOMPARE(compare({function, {size}, 1e-6}), std::string());
    }

    /// The number of chunks follows from the work: large loops are shared out, small ones stay.
    void parallelChunks() {
        Var n = arith::symbol("n", 0, 1 << 24);
        auto a = tir::makeBuffer("a", types::Float32, {n}), out = tir::makeBuffer("out", types::Float32, {n});
        Var i = arith::var("i");
        Loaded loaded({lowered(
            kernel("chunks", {a, out}, {n}, loop(i, n, store(out, {i}, load(a, {i}) + f32(1)), ForKind::Parallel)))});
        std::vector<float> in(1 << 20, 1.0f), result(1 << 20);
        int before = parallelRegions();
        QCOMPARE(loaded.call("chunks", {address(in), address(result), 100}), 0);
        QCOMPARE(parallelRegions(), before);
        QCOMPARE(loaded.call("chunks", {address(in), address(result), 1 << 20}), 0);
        QCOMPARE(parallelRegions(), before + 1);
        QVERIFY(std::ranges::all_of(result, [](float x) { return x == 2.0f; }));
        QCOMPARE(loaded.call("chunks", {address(in), address(result), 0}), 0);
    }

    void failedChecks() {
        Var n = arith::symbol("n", 0, 1 << 20);
        auto index = tir::makeBuffer("index", types::Int64, {n}), out = tir::makeBuffer("out", types::Int64, {n});
        Var i = arith::var("i");
        Expr value = load(index, {i});
        for (ForKind kind : {ForKind::Serial, ForKind::Parallel, ForKind::Vectorized}) {
            tir::Stmt body = list({check(arith::gt(value, arith::intImm(-10, types::Int64))),
                                   check(arith::lt(value, arith::intImm(10, types::Int64))), store(out, {i}, value)});
            Loaded loaded({lowered(kernel("checks", {index, out}, {n}, loop(i, n, body, kind)))});
            std::vector<int64_t> in(100'000, 3), result(100'000);
            QCOMPARE(loaded.call("checks", {address(in), address(result), 100'000}), 0);
            in[99'000] = 10;
            QCOMPARE(loaded.call("checks", {address(in), address(result), 100'000}), 2); // 1 + ordinal 1
            in[99'000] = -10;
            QCOMPARE(loaded.call("checks", {address(in), address(result), 100'000}), 1);
        }
    }

    /// An entry that reads a dim, calls a kernel twice in a loop, and reports which call failed.
    void entry() {
        Var n = arith::symbol("n", 0, 100);
        auto a = tir::makeBuffer("a", types::Float32, {n}), out = tir::makeBuffer("out", types::Float32, {n});
        Var i = arith::var("i");
        auto scale = kernel("scale", {a, out}, {n},
                            list({check(arith::lt(n, Expr(50))), loop(i, n, store(out, {i}, load(a, {i}) * f32(2)))}));
        auto in = tir::makeBuffer("in", types::Float32, {Expr(3)}),
             result = tir::makeBuffer("result", types::Float32, {Expr(3)});
        auto pointers = tir::makeBuffer("pointers", types::Handle, {Expr(2)}, Scope::Local),
             counter = tir::makeBuffer("counter", types::Index, {}, Scope::Local);
        Var dim = arith::var("dim"), from = arith::var("from", types::Handle);
        auto call = [&](const tir::BufferPtr& x, const tir::BufferPtr& y, Expr size, int id) {
            return tir::makeStmt(
                tir::CallKernel{"scale", {load(x, {Expr(0)}), load(y, {Expr(0)}), std::move(size)}, id}, -1);
        };
        auto again = tir::makeBuffer("again", types::Float32, {Expr(3)});
        auto statement = [](auto value) { return tir::makeStmt(std::move(value), -1); };
        tir::Stmt step = list({
            when(arith::eq(load(counter, {}), Expr(0)), call(in, result, dim, 0), call(result, result, dim, 1)),
            store(counter, {}, load(counter, {}) + Expr(1)),
        });
        tir::Stmt tail =
            list({store(counter, {}, Expr(0)), statement(tir::While{arith::lt(load(counter, {}), Expr(3)), step}),
                  when(arith::gt(dim, Expr(2)), call(in, result, Expr(60), 7))});
        tir::Stmt body = statement(tir::Let{
            dim, runtime(LATHE_FN_INPUT_DIM, {Expr(0), Expr(0)}, types::Index),
            allocate(
                counter,
                allocate(
                    pointers,
                    list({
                        check(arith::eq(dim, Expr(3))),
                        store(pointers, {Expr(0)}, runtime(LATHE_FN_INPUT_DATA, {Expr(0)}, types::Handle)),
                        statement(tir::BindBuffer{
                            in, load(pointers, {Expr(0)}),
                            statement(tir::Let{from, runtime(LATHE_FN_OUTPUT_DATA, {Expr(1), Expr(12)}, types::Handle),
                                               statement(tir::BindBuffer{result, from, tail})})}),
                    })))});
        auto main = std::make_shared<tir::PrimFunc>();
        main->name = "main_entry";
        main->isEntry = true;
        main->body = body;
        Loaded loaded({lowered(scale), tir::numberChecks(main)});
        std::vector<float> x{1, 2, 3}, y(3);
        void* pointersOfRun[] = {x.data(), y.data()};
        QCOMPARE(loaded.model()->entry(reinterpret_cast<lathe_exec*>(pointersOfRun)), 1);
        QCOMPARE(lastFailure().call, 7);
        QCOMPARE(lastFailure().status, 1);
        QCOMPARE(y, (std::vector<float>{8, 16, 24}));
    }

    void noUndefinedSymbols() {
        auto a = tir::makeBuffer("a", types::Float16, {Expr(64)}),
             out = tir::makeBuffer("out", types::BFloat16, {Expr(64)});
        Var i = arith::var("i");
        Expr value =
            arith::call(Intrinsic::Pow, {arith::call(Intrinsic::Sin, {load(a, {i})}, types::Float16), load(a, {i})},
                        types::Float16);
        for (const char* name : {"native", "x86-64-v2", "x86-64-v4"}) {
            Pipeline pipeline;
            pipeline.target = *codegen::parseTarget(name);
            Loaded loaded({lowered(kernel("k", {a, out}, {},
                                          loop(i, Expr(64), store(out, {i}, arith::cast(value, types::BFloat16)),
                                               ForKind::Vectorized)),
                                   pipeline)},
                          pipeline.target);
            QCOMPARE(undefinedSymbols(loaded.image()), 0);
        }
    }

    /// Each statement has a line, and the instructions that it became lead back to it.
    void provenance() {
        auto a = tir::makeBuffer("a", types::Float32, {Expr(64)}),
             out = tir::makeBuffer("out", types::Float32, {Expr(64)});
        Var i = arith::var("i"), j = arith::var("j");
        tir::Stmt first = loop(i, Expr(64), tir::makeStmt(tir::Store{out, {i}, load(a, {i}) * f32(3), {}}, 4));
        tir::Stmt second = loop(
            j, Expr(64),
            tir::makeStmt(tir::Store{out, {j}, arith::call(Intrinsic::Sqrt, {load(out, {j})}, types::Float32), {}}, 5));
        tir::PrimFuncPtr function = lowered(kernel("origins", {a, out}, {}, list({first, second})));
        CodegenOptions options;
        auto code = compileFunction(*function, options);
        QVERIFY(code.has_value());
        auto instructions = disassembleWithLines(code->object);
        QVERIFY(instructions.has_value());
        std::set<int> multiplies, roots;
        for (const InstructionOrigin& instruction : *instructions) {
            QVERIFY(instruction.line <= static_cast<int>(code->lines.size()));
            int origin = instruction.line > 0 ? code->lines[static_cast<size_t>(instruction.line) - 1].origin : -1;
            if (instruction.text.starts_with("vmul"))
                multiplies.insert(origin);
            if (instruction.text.starts_with("vsqrt")) {
                roots.insert(origin);
                QVERIFY(instruction.inLoop);
            }
        }
        QCOMPARE(multiplies, std::set<int>{4});
        QCOMPARE(roots, std::set<int>{5});
    }
};

Test test() {
    return {makes<TestControl>};
}

} // namespace lathe::testing::test_control

#include "test_control.moc"
