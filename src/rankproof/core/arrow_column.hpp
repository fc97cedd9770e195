// One column of an Arrow batch: the text or the number in a row, whatever the column's type.
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "arrow_abi.hpp"
#include "number.hpp"

namespace rankproof {

class ArrowColumn {
public:
    ArrowColumn(const ArrowSchema& schema, const ArrowArray& array, std::int64_t shift)
        : format_(schema.format), array_(array), shift_(array.offset + shift) {
        if (schema.dictionary != nullptr && array.dictionary != nullptr)
            values_ = std::make_unique<ArrowColumn>(*schema.dictionary, *array.dictionary, 0);
    }

    bool is_null(std::int64_t row) const {
        if (format_ == "n") return true;
        const auto* valid = static_cast<const std::uint8_t*>(array_.n_buffers > 0 ? array_.buffers[0] : nullptr);
        const std::int64_t i = row + shift_;
        if (valid != nullptr && (valid[i >> 3] >> (i & 7) & 1) == 0) return true;
        return values_ && values_->is_null(whole(i));
    }

    // The text of a row; whole numbers in decimal, kept in `scratch`.
    string_view text(std::int64_t row, std::string& scratch) const {
        const std::int64_t i = row + shift_;
        if (values_) return values_->text(whole(i), scratch);
        if (format_ == "u" || format_ == "z") return slice<std::int32_t>(i);
        if (format_ == "U" || format_ == "Z") return slice<std::int64_t>(i);
        if (format_ == "vu" || format_ == "vz") return viewed(i);
        if (is_whole()) {
            char digits[24];
            const char* end = format_ == "L" ? std::to_chars(digits, digits + 24, at<std::uint64_t>(i)).ptr
                                             : std::to_chars(digits, digits + 24, whole(i)).ptr;
            scratch.assign(static_cast<const char*>(digits), end);
            return scratch;
        }
        throw std::invalid_argument("is of Arrow type '" + format_ + "', which holds no ids; text or whole numbers do");
    }

    Number number(std::int64_t row) const {
        if (is_null(row)) return {std::numeric_limits<double>::quiet_NaN(), NumberState::not_a_number};
        const std::int64_t i = row + shift_;
        if (values_) return values_->number(whole(i));
        double value;
        if (format_ == "g") value = at<double>(i);
        else if (format_ == "f") value = static_cast<double>(at<float>(i));
        else if (format_ == "L") value = static_cast<double>(at<std::uint64_t>(i));
        else if (is_whole()) value = static_cast<double>(whole(i));
        else if (format_ == "u" || format_ == "U" || format_ == "vu") {
            std::string scratch;
            return read_number(text(row, scratch));
        } else {
            throw std::invalid_argument("is of Arrow type '" + format_ + "', which holds no numbers");
        }
        if (std::isnan(value)) return {value, NumberState::nan};
        return {value, std::isinf(value) ? NumberState::infinite : NumberState::ok};
    }

private:
    template <class T>
    T at(std::int64_t i) const {
        return static_cast<const T*>(array_.buffers[1])[i];
    }

    bool is_whole() const { return format_.size() == 1 && std::strchr("cCsSiIlL", format_[0]) != nullptr; }

    std::int64_t whole(std::int64_t i) const {
        switch (format_[0]) {
            case 'c': return at<std::int8_t>(i);
            case 'C': return at<std::uint8_t>(i);
            case 's': return at<std::int16_t>(i);
            case 'S': return at<std::uint16_t>(i);
            case 'i': return at<std::int32_t>(i);
            case 'I': return at<std::uint32_t>(i);
            default: return at<std::int64_t>(i);
        }
    }

    template <class Offset>
    string_view slice(std::int64_t i) const {
        const auto* offsets = static_cast<const Offset*>(array_.buffers[1]);
        const auto* data = static_cast<const char*>(array_.buffers[2]);
        return {data + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
    }

    // A 16-byte view: length, then the bytes themselves (12 at most) or prefix, buffer and offset.
    string_view viewed(std::int64_t i) const {
        const auto* view = static_cast<const char*>(array_.buffers[1]) + 16 * i;
        std::int32_t length, buffer, offset;
        std::memcpy(&length, view, 4);
        if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
        std::memcpy(&buffer, view + 8, 4);
        std::memcpy(&offset, view + 12, 4);
        return {static_cast<const char*>(array_.buffers[2 + buffer]) + offset, static_cast<std::size_t>(length)};
    }

    std::string format_;
    const ArrowArray& array_;
    std::int64_t shift_;
    std::unique_ptr<ArrowColumn> values_;
};

}  // namespace rankproof
