// SPDX-License-Identifier: Apache-2.0
//
// Operators on text: plain loops whose elements are calls of the runtime (abi/abi.h: lathe_string_function). In kernels a string
// is its handle; a call has no other effect than that its result is known from then on, so it may be moved, left out or done
// twice. They are serial, since the runtime's table of strings is one thread's.
#include "abi/abi.h"
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

namespace {

Expr textCall(lathe_string_function function, const Expr& a, const Expr& b, const Expr& c, DataType dtype) {
    return arith::call(Intrinsic::RtCall,
                       {arith::intImm(LATHE_FN_STRING), arith::intImm(function, types::Int32), a, b, c}, dtype);
}

/// A function whose result is a string.
Expr made(lathe_string_function function, const Expr& a, const Expr& b = int64(0), const Expr& c = int64(0)) {
    return textCall(function, a, b, c, types::UInt64);
}

/// A function whose result is a number.
Expr counted(lathe_string_function function, const Expr& a, const Expr& b = int64(0), const Expr& c = int64(0)) {
    return textCall(function, a, b, c, types::Int64);
}

Expr isYes(const Expr& answer) {
    return arith::ne(answer, int64(0));
}

/// A kernel whose one result has at each place what `element` makes.
tir::PrimFuncPtr
elementKernel(const std::string& name, const CallContext& call,
              const std::function<Stmt(const Loops&, const KernelBuffers&, const std::vector<Var>&)>& element) {
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    return buffers.kernel(name, l.nest("i", buffers.results[0]->shape,
                                       [&](const std::vector<Var>& i) { return element(l, buffers, i); }));
}

/// The runtime's description of a float type.
int64_t floatForm(DataType dtype) {
    switch (dtype.code) {
    case TypeCode::BFloat:
        return LATHE_FLOAT_FORM(7, -126);
    case TypeCode::Float8E4M3FN:
        return LATHE_FLOAT_FORM(3, -6);
    case TypeCode::Float8E4M3FNUZ:
        return LATHE_FLOAT_FORM(3, -7);
    case TypeCode::Float8E5M2:
        return LATHE_FLOAT_FORM(2, -14);
    case TypeCode::Float8E5M2FNUZ:
        return LATHE_FLOAT_FORM(2, -15);
    case TypeCode::Float8E8M0:
        return LATHE_FLOAT_FORM(0, -127);
    case TypeCode::Float4E2M1:
        return LATHE_FLOAT_FORM(1, 0);
    default:
        return dtype.bits == 16   ? LATHE_FLOAT_FORM(10, -14)
               : dtype.bits == 32 ? LATHE_FLOAT_FORM(23, -126)
                                  : LATHE_FLOAT_FORM(52, -1022);
    }
}

Expr formatted(const Expr& x) {
    const DataType dtype = x.dtype();
    if (dtype.isBool())
        return made(LATHE_STRING_OF_BOOL, arith::cast(x, types::Int64));
    if (dtype.isFloat())
        return made(LATHE_STRING_OF_FLOAT,
                    arith::call(Intrinsic::Reinterpret, {convert(widen(x), types::Float64)}, types::Int64),
                    int64(floatForm(dtype)));
    return dtype.isSigned() ? made(LATHE_STRING_OF_INT, convert(x, types::Int64))
                            : made(LATHE_STRING_OF_UINT, convert(x, types::UInt64));
}

} // namespace

tir::PrimFuncPtr buildStringConcat(const std::string& name, const CallContext& call) {
    return elementKernel(name, call, [](const Loops& l, const KernelBuffers& buffers, const std::vector<Var>& i) {
        const auto operand = [&](size_t arg) {
            return load(buffers.args[arg], broadcastIndices(buffers.args[arg]->shape, buffers.results[0]->shape, i));
        };
        return l.store(buffers.results[0], asIndices(i), made(LATHE_STRING_CONCAT, operand(0), operand(1)));
    });
}

tir::PrimFuncPtr buildStringCase(const std::string& name, const CallContext& call) {
    const auto& attrs = relay::attrs<relay::StringCaseAttrs>(call.attrs);
    return elementKernel(name, call, [&](const Loops& l, const KernelBuffers& buffers, const std::vector<Var>& i) {
        return l.store(buffers.results[0], asIndices(i),
                       made(attrs.upper ? LATHE_STRING_UPPER : LATHE_STRING_LOWER, load(buffers.args[0], asIndices(i)),
                            int64(attrs.ascii ? 1 : 0)));
    });
}

tir::PrimFuncPtr buildRegexFullMatch(const std::string& name, const CallContext& call) {
    return elementKernel(name, call, [](const Loops& l, const KernelBuffers& buffers, const std::vector<Var>& i) {
        return l.store(
            buffers.results[0], asIndices(i),
            isYes(counted(LATHE_STRING_MATCHES, load(buffers.args[0], asIndices(i)), load(buffers.args[1], {}))));
    });
}

tir::PrimFuncPtr buildFormatNumber(const std::string& name, const CallContext& call) {
    return elementKernel(name, call, [](const Loops& l, const KernelBuffers& buffers, const std::vector<Var>& i) {
        return l.store(buffers.results[0], asIndices(i), formatted(load(buffers.args[0], asIndices(i))));
    });
}

tir::PrimFuncPtr buildParseNumber(const std::string& name, const CallContext& call) {
    const DataType dtype = relay::attrs<relay::CastAttrs>(call.attrs).dtype;
    return elementKernel(name, call, [&](const Loops& l, const KernelBuffers& buffers, const std::vector<Var>& i) {
        return l.let("text", load(buffers.args[0], asIndices(i)), [&](const Var& text) {
            const auto [test, message] =
                dtype.isFloat()    ? std::pair(LATHE_STRING_IS_FLOAT, "a text is no number")
                : dtype.isSigned() ? std::pair(LATHE_STRING_IS_INT, "a text is no integer of 64 bits")
                                   : std::pair(LATHE_STRING_IS_UINT, "a text is no unsigned integer of 64 bits");
            const Expr value = dtype == types::Float64 ? arith::call(Intrinsic::Reinterpret,
                                                                     {counted(LATHE_STRING_TO_FLOAT64, text)}, dtype)
                               : dtype == types::Float32
                                   ? arith::call(Intrinsic::Reinterpret,
                                                 {convert(counted(LATHE_STRING_TO_FLOAT32, text), types::Int32)}, dtype)
                                   : textCall(LATHE_STRING_TO_INT, text, int64(0), int64(0), dtype);
            return l.all({l.check(isYes(counted(test, text)), tir::CheckKind::InvalidValue, message),
                          l.store(buffers.results[0], asIndices(i), value)});
        });
    });
}

DynamicKernel buildStringSplit(const std::string& name, const CallContext& call) {
    const int64_t most = relay::attrs<relay::StringSplitAttrs>(call.attrs).most;
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &x = buffers.args[0], &pieces = buffers.results[0], &counts = buffers.results[1];
    const BufferPtr sizes = sizesBuffer(call);
    const Cell count("count", types::Int64), begin("begin", types::Int64), end("end", types::Int64),
        more("more", types::Bool), longest("longest", types::Int64);
    const Expr delimiter = load(buffers.args[1], {});
    const Expr betweenSpace = arith::eq(delimiter, arith::zero(types::UInt64));
    // Calls `found` with each piece of a text; afterwards `count` is how many there were.
    const auto split = [&](const Expr& text, const std::function<Stmt(const Expr& piece)>& found) {
        const Expr size = counted(LATHE_STRING_SIZE, text);
        const Expr next = counted(LATHE_STRING_FIND, text, delimiter, begin());
        const Stmt done = l.set(more, arith::boolImm(false));
        const Stmt take =
            l.all({l.set(end, most < 0 ? next : arith::select(arith::eq(count(), int64(most)), size, next)),
                   found(made(LATHE_STRING_PART, text, begin(), end())), l.increment(count),
                   l.when(arith::eq(end(), size), done, l.set(begin, end() + counted(LATHE_STRING_SIZE, delimiter)))});
        const Stmt step = l.all({l.set(begin, counted(LATHE_STRING_SKIP, text, delimiter, begin())),
                                 l.when(arith::logicalAnd(betweenSpace, arith::eq(begin(), size)), done, take)});
        return l.all({l.set(count, int64(0)), l.set(begin, int64(0)), l.set(more, arith::boolImm(true)),
                      l.repeat(more(), step)});
    };
    const auto each = [&](const std::function<Stmt(const Expr& text, const std::vector<Var>& i)>& body) {
        return l.nest("i", x->shape, [&](const std::vector<Var>& i) {
            return l.let("text", load(x, asIndices(i)), [&](const Var& text) { return body(text, i); });
        });
    };
    const Stmt measure = each([&](const Expr& text, const std::vector<Var>&) {
        return l.all({split(text, [](const Expr&) { return nullptr; }),
                      l.when(arith::gt(count(), longest()), l.set(longest, count()))});
    });
    const Stmt fill = each([&](const Expr& text, const std::vector<Var>& i) {
        const auto put = [&](const Expr& at, const Expr& piece) {
            Indices where = asIndices(i);
            where.push_back(at);
            return l.store(pieces, std::move(where), piece);
        };
        const Expr rest = pieces->shape.back() - toIndex(count());
        return l.all({split(text, [&](const Expr& piece) { return put(toIndex(count()), piece); }),
                      l.store(counts, asIndices(i), count()), l.loop("rest", rest, [&](const Var& k) {
                          return put(toIndex(count()) + k, arith::zero(types::UInt64));
                      })});
    });
    return buffers.dynamic(name, sizes, {},
                           l.with({longest, count, begin, end, more},
                                  l.all({l.set(longest, int64(0)), measure, storeSize(l, sizes, longest())})),
                           l.with({count, begin, end, more}, fill));
}

} // namespace lathe::topi
