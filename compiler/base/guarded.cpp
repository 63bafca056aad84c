// SPDX-License-Identifier: Apache-2.0
#include "base/guarded.h"

#include <fmt/format.h>
#include <new>
#include <system_error>

namespace lathe {

Diagnostic diagnosticOfException() {
    constexpr const char* report = "this is a fault of Lathe: please report it with the model";
    try {
        throw;
    } catch (const Cancelled&) {
        return error(ErrorKind::Cancelled, "cancelled");
    } catch (const std::bad_alloc&) {
        return error("not enough memory", "close other programs or fix the model's sizes");
    } catch (const std::system_error& refused) { // a thread or a file that the system does not give
        return error(fmt::format("the operating system refuses: {}", refused.what()),
                     "close other programs, or raise the limits of this one");
    } catch (const std::exception& broken) {
        return error(ErrorKind::Internal, broken.what(), report);
    } catch (...) {
        return error(ErrorKind::Internal, "an exception of an unknown type", report);
    }
}

} // namespace lathe
