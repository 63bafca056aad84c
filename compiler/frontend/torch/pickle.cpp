// SPDX-License-Identifier: Apache-2.0
#include "frontend/torch/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <unordered_map>

namespace lathe::frontend::torch {
namespace {

constexpr size_t mostValues = 1'000'000;

/// The stack machine; after the first fault it stands still.
class Unpickler {
public:
    explicit Unpickler(std::span<const std::byte> bytes) : bytes_(bytes) {}

    Result<Pickle> run() {
        while (fault_.empty() && !result_.root) {
            if (stack_.size() > mostValues || memo_.size() > mostValues)
                fail(fmt::format("keeps more than {} values to come back to", mostValues));
            step(static_cast<uint8_t>(number(1)));
        }
        if (!fault_.empty())
            return failure(ErrorKind::Unsupported, fmt::format("the pickle at byte {} {}", at_, fault_),
                           "save the tensors again by PyTorch, as plain tensors");
        return std::move(result_);
    }

private:
    using Kind = PickleValue::Kind;

    void fail(std::string what) {
        if (fault_.empty())
            fault_ = std::move(what);
    }

    // ---- bytes

    std::string_view take(uint64_t count) {
        if (count > bytes_.size() - at_)
            fail("is cut off");
        if (!fault_.empty())
            return {};
        const std::string_view taken(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
        at_ += count;
        return taken;
    }
    /// Little endian.
    uint64_t number(size_t count) {
        uint64_t value = 0;
        const std::string_view digits = take(count);
        for (size_t i = 0; i < digits.size(); ++i)
            value |= uint64_t{static_cast<uint8_t>(digits[i])} << (8 * i);
        return value;
    }
    std::string_view line() {
        const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
        const size_t end = rest.find('\n');
        if (end == std::string_view::npos)
            fail("is cut off");
        return fault_.empty() ? take(end + 1).substr(0, end) : std::string_view();
    }

    // ---- the stack

    PickleValue* push(PickleValue value) {
        if (result_.values.size() >= mostValues)
            fail(fmt::format("has more than {} values", mostValues));
        result_.values.push_back(std::move(value));
        stack_.push_back(&result_.values.back());
        return stack_.back();
    }
    void push(Kind kind, int64_t whole = 0) { push(PickleValue{.kind = kind, .whole = whole}); }
    /// null after a fault, and for a mark.
    PickleValue* pop() {
        PickleValue* top = stack_.empty() ? nullptr : stack_.back();
        if (!top)
            fail("takes a value where there is none");
        else
            stack_.pop_back();
        return top;
    }
    PickleValue* top() {
        PickleValue* found = stack_.empty() ? nullptr : stack_.back();
        if (!found)
            fail("asks for a value where there is none");
        return found;
    }
    /// What lies above the last mark, which goes too.
    std::vector<const PickleValue*> popToMark() {
        size_t mark = stack_.size();
        while (mark > 0 && stack_[mark - 1])
            --mark;
        if (mark == 0)
            fail("has no mark where it asks for one");
        if (!fault_.empty())
            return {};
        std::vector<const PickleValue*> above(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
        stack_.resize(mark - 1);
        return above;
    }
    void pushTuple(size_t count) {
        std::vector<const PickleValue*> items(count);
        for (size_t i = count; i > 0; --i)
            items[i - 1] = pop();
        if (fault_.empty())
            push(PickleValue{.kind = Kind::Tuple, .items = std::move(items)});
    }

    // ---- instructions

    void step(uint8_t code) {
        if (!fault_.empty())
            return;
        if (!stepConstant(code) && !stepContainer(code) && !stepObject(code) && !stepMemo(code))
            fail(fmt::format("has instruction {:#04x}, which is not supported", code));
    }

    bool stepConstant(uint8_t code) {
        switch (code) {
        case 0x80: // PROTO
            if (number(1) > 5)
                fail("is of a newer protocol than 5");
            return true;
        case 0x95:
            take(8);
            return true; // FRAME
        case 'N':
            push(Kind::None);
            return true;
        case 0x88:
            push(Kind::Bool, 1);
            return true;
        case 0x89:
            push(Kind::Bool, 0);
            return true;
        case 'J':
            push(Kind::Int, static_cast<int32_t>(number(4)));
            return true;
        case 'K':
            push(Kind::Int, static_cast<int64_t>(number(1)));
            return true;
        case 'M':
            push(Kind::Int, static_cast<int64_t>(number(2)));
            return true;
        case 0x8a:
            pushLong(number(1));
            return true;
        case 'G':
            pushReal();
            return true;
        case 'X':
            pushText(number(4));
            return true;
        case 0x8c:
            pushText(number(1));
            return true;
        case 0x8d:
            pushText(number(8));
            return true;
        default:
            return false;
        }
    }

    /// Two's complement of so many bytes.
    void pushLong(uint64_t count) {
        if (count > 8)
            return fail("has an integer of more than 64 bits");
        uint64_t value = number(count);
        if (count > 0 && count < 8 && (value >> (8 * count - 1)) != 0)
            value |= ~uint64_t{0} << (8 * count);
        push(Kind::Int, static_cast<int64_t>(value));
    }
    /// Big endian.
    void pushReal() {
        push(PickleValue{.kind = Kind::Float, .real = std::bit_cast<double>(__builtin_bswap64(number(8)))});
    }
    void pushText(uint64_t count) { push(PickleValue{.kind = Kind::Text, .text = std::string(take(count))}); }

    bool stepContainer(uint8_t code) {
        switch (code) {
        case '(':
            stack_.push_back(nullptr);
            return true;
        case ')':
            pushTuple(0);
            return true;
        case 0x85:
            pushTuple(1);
            return true;
        case 0x86:
            pushTuple(2);
            return true;
        case 0x87:
            pushTuple(3);
            return true;
        case 't':
            push(PickleValue{.kind = Kind::Tuple, .items = popToMark()});
            return true;
        case ']':
            push(Kind::List);
            return true;
        case '}':
            push(Kind::Dict);
            return true;
        case 'a':
            append({pop()});
            return true;
        case 'e':
            append(popToMark());
            return true;
        case 's': {
            const PickleValue *value = pop(), *key = pop();
            setItems({key, value});
            return true;
        }
        case 'u':
            setItems(popToMark());
            return true;
        default:
            return false;
        }
    }

    void append(const std::vector<const PickleValue*>& items) {
        PickleValue* list = top();
        if (fault_.empty() && list->kind != Kind::List)
            fail("appends to what is no list");
        if (fault_.empty())
            list->items.insert(list->items.end(), items.begin(), items.end());
    }
    void setItems(const std::vector<const PickleValue*>& items) {
        PickleValue* dict = top();
        if (fault_.empty() && ((dict->kind != Kind::Dict && dict->kind != Kind::Object) || items.size() % 2 != 0))
            fail("sets entries of what has none");
        for (size_t i = 0; i + 1 < items.size() && fault_.empty(); i += 2)
            dict->entries.emplace_back(items[i], items[i + 1]);
    }

    bool stepObject(uint8_t code) {
        switch (code) {
        case 'c': {
            const std::string_view module = line(), name = line();
            push(PickleValue{.kind = Kind::Global, .text = fmt::format("{} {}", module, name)});
            return true;
        }
        case 0x93: { // STACK_GLOBAL
            const PickleValue *name = pop(), *module = pop();
            if (fault_.empty() && (name->kind != Kind::Text || module->kind != Kind::Text))
                fail("names a global by what is no text");
            if (fault_.empty())
                push(PickleValue{.kind = Kind::Global, .text = fmt::format("{} {}", module->text, name->text)});
            return true;
        }
        case 'R':    // REDUCE
        case 0x81: { // NEWOBJ
            const PickleValue *arguments = pop(), *maker = pop();
            if (fault_.empty())
                push(PickleValue{.kind = Kind::Object, .items = {maker, arguments}});
            return true;
        }
        case 'b': { // BUILD
            const PickleValue* state = pop();
            PickleValue* object = top();
            if (fault_.empty() && object->kind != Kind::Object)
                fail("gives a state to what is no object");
            if (fault_.empty())
                object->state = state;
            return true;
        }
        case 'Q':
            if (const PickleValue* id = pop())
                push(PickleValue{.kind = Kind::Persistent, .items = {id}});
            return true;
        case '.':
            result_.root = pop();
            return true;
        default:
            return false;
        }
    }

    bool stepMemo(uint8_t code) {
        switch (code) {
        case 'q':
            put(number(1));
            return true;
        case 'r':
            put(number(4));
            return true;
        case 0x94:
            put(memo_.size());
            return true;
        case 'h':
            get(number(1));
            return true;
        case 'j':
            get(number(4));
            return true;
        default:
            return false;
        }
    }
    void put(uint64_t key) {
        PickleValue* value = top();
        if (fault_.empty())
            memo_[key] = value;
    }
    void get(uint64_t key) {
        const auto found = memo_.find(key);
        if (found == memo_.end())
            fail("asks for a value that it did not keep");
        else
            stack_.push_back(found->second);
    }

    std::span<const std::byte> bytes_;
    size_t at_ = 0;
    std::string fault_;
    Pickle result_;
    std::vector<PickleValue*> stack_; // null: a mark
    std::unordered_map<uint64_t, PickleValue*> memo_;
};

} // namespace

Result<Pickle> readPickle(std::span<const std::byte> bytes) {
    return Unpickler(bytes).run();
}

} // namespace lathe::frontend::torch
