// SPDX-License-Identifier: Apache-2.0
//
// Images in files, which the runtime decodes (abi/images.h): the first kernel has it do so and learns the size, the second one
// takes the pixels.
#include "abi/abi.h"
#include "abi/images.h"
#include "topi/families.h"
#include "topi/loops.h"

namespace lathe::topi {

static_assert(relay::mostImageSide == LATHE_IMAGE_SIDE);

namespace {

Expr addressOf(const BufferPtr& buffer) {
    const Expr first = load(buffer, Indices(buffer->shape.size(), Expr(0)));
    return arith::call(Intrinsic::AddressOf, {first}, types::Handle);
}

int64_t formatOf(const std::string& pixels) {
    return pixels == "RGB" ? LATHE_PIXELS_RGB : pixels == "BGR" ? LATHE_PIXELS_BGR : LATHE_PIXELS_GRAYSCALE;
}

} // namespace

DynamicKernel buildDecodeImage(const std::string& name, const CallContext& call) {
    const int64_t format = formatOf(relay::attrs<relay::ImageAttrs>(call.attrs).pixels);
    const KernelBuffers buffers(call);
    const Loops l(call.origin);
    const BufferPtr &file = buffers.args[0], &y = buffers.results[0];
    const BufferPtr sizes = sizesBuffer(call);
    const Cell size("size", types::Int64);
    const Expr decode = arith::call(Intrinsic::RtCall,
                                    {arith::intImm(LATHE_FN_DECODE_IMAGE), addressOf(file),
                                     arith::cast(file->shape[0], types::Int64), arith::intImm(format, types::Int32)},
                                    types::Int64);
    const auto bits = [](arith::ExprKind kind, const Expr& value, int64_t other) {
        return arith::binary(kind, value, int64(other));
    };
    const Stmt decodable = l.check(arith::ge(size(), int64(0)), tir::CheckKind::InvalidValue,
                                   "images cannot be decoded: " LATHE_IMAGES_LIBRARY " is missing beside the runtime");
    const Stmt measure = l.with(
        {size}, l.all({l.set(size, decode), decodable, l.store(sizes, {0}, bits(arith::ExprKind::Shr, size(), 32)),
                       l.store(sizes, {1}, bits(arith::ExprKind::BitAnd, size(), (int64_t{1} << 32) - 1))}));
    const Expr take =
        arith::call(Intrinsic::RtCall,
                    {arith::intImm(LATHE_FN_IMAGE_PIXELS), addressOf(y), arith::cast(product(y->shape), types::Int64)},
                    types::Void);
    return buffers.dynamic(name, sizes, {}, measure, tir::makeStmt(tir::Evaluate{take}, call.origin));
}

} // namespace lathe::topi
