/* SPDX-License-Identifier: Apache-2.0 */
/* ConvTile: a dense tensor of up to six dimensions in on-chip memory, with its convolution parameters
 * (00-model, 7). */
#ifndef PTO_COMMON_CONV_TILE_HPP
#define PTO_COMMON_CONV_TILE_HPP

#include <pto/common/pto_tile.hpp>

PTO_NAMESPACE_BEGIN

/* Extents: static ones from the type, dynamic ones (-1) from the constructor, else 1. */
template <int... d> struct ConvTileShape {
    static_assert(sizeof...(d) >= 1 && sizeof...(d) <= 6,
                  "[PTO][SA] PTO-E0304 ConvTileShape: one to six dimensions");
    static constexpr int totalDimCount = sizeof...(d);
    static constexpr int dynamicDimCount = ((d == DYNAMIC ? 1 : 0) + ...);
    static constexpr int fixed[sizeof...(d)] = {d...};
    std::int64_t shape[6];

    ConvTileShape() { fill(nullptr); }
    template <
        typename... T,
        std::enable_if_t<(sizeof...(T) > 0) && (std::is_convertible_v<T, std::int64_t> && ...), int> = 0>
    explicit ConvTileShape(T... values) {
        constexpr int count = sizeof...(T);
        static_assert(count == dynamicDimCount || (count == 6 && totalDimCount == 6),
                      "[PTO][SA] PTO-E0304 ConvTileShape: the dynamic values in order, or all six");
        const std::int64_t list[] = {static_cast<std::int64_t>(values)...};
        if constexpr (count == dynamicDimCount)
            fill(list);
        else
            for (int i = 0; i < 6; i++)
                shape[i] = fixed[i] == DYNAMIC ? list[i] : fixed[i];
    }

  private:
    void fill(const std::int64_t *values) {
        for (int i = 0; i < 6; i++)
            shape[i] = i >= totalDimCount ? 1 : fixed[i] != DYNAMIC ? fixed[i] : values ? *values++ : 1;
    }
};

#define PTO_CONV_PROPERTY(name, type, member)                                                                \
    type Get##name() const { return static_cast<type>(conv_.member); }                                       \
    void Set##name(type value) { conv_.member = value; }

/* BufferSize counts elements. */
template <TileType Loc_, typename Element_, int BufferSize_, Layout Layout_, typename Shape_>
class ConvTile : public detail::TileBase {
  public:
    using DType = Element_;
    using TileDType = DType *;
    using ShapeType = Shape_;
    static constexpr TileType Loc = Loc_;
    static constexpr int bufferSize = BufferSize_;
    static constexpr Layout layout = Layout_;
    static constexpr int totalDimCount = Shape_::totalDimCount;
    static constexpr int dynamicDimCount = Shape_::dynamicDimCount;
    static constexpr int fixed(int dim) { return dim < totalDimCount ? Shape_::fixed[dim] : 1; }
    static constexpr int staticShape[6] = {fixed(0), fixed(1), fixed(2), fixed(3), fixed(4), fixed(5)};
    static constexpr bool isDynamicDim[6] = {fixed(0) == DYNAMIC, fixed(1) == DYNAMIC, fixed(2) == DYNAMIC,
                                             fixed(3) == DYNAMIC, fixed(4) == DYNAMIC, fixed(5) == DYNAMIC};
    static_assert(Loc_ == TileType::Mat || Loc_ == TileType::Vec,
                  "[PTO][SA] PTO-E0310 ConvTile: lives in Mat or Vec");
    static_assert(BufferSize_ > 0, "[PTO][SA] PTO-E0310 ConvTile: BufferSize is at least one element");
    static_assert(detail::dtype_v<Element_> != PTO_DTYPE_NONE,
                  "[PTO][SA] PTO-E0302 ConvTile: Element is none of the element types");
#ifdef __PTO_AUTO__
    static_assert(dynamicDimCount == 0, "[PTO][SA] PTO-E0310 ConvTile: auto mode has static shapes only");
#endif

    static pto_tile_type type() {
        pto_tile_type t =
            pto_tile_type_make(static_cast<pto_loc>(Loc_), detail::dtype_v<Element_>, 1, BufferSize_);
        return t;
    }

    ConvTile() : ConvTile(Shape_()) {}
    template <
        typename... T,
        std::enable_if_t<(sizeof...(T) > 0) && (std::is_convertible_v<T, std::int64_t> && ...), int> = 0>
    explicit ConvTile(T... values) : ConvTile(Shape_(values...)) {
        static_assert(sizeof...(T) == dynamicDimCount,
                      "[PTO][SA] PTO-E0304 ConvTile: one value a dynamic dimension");
    }
    ConvTile(const ConvTile &other) : TileBase(other), conv_(other.conv_), shape_(other.shape_) {}
    ConvTile &operator=(const ConvTile &other) {
        TileBase::operator=(other);
        conv_ = other.conv_;
        shape_ = other.shape_;
        return *this;
    }

    std::int64_t GetShape(int dim) const { return dim >= 0 && dim < 6 ? shape_.shape[dim] : -1; }
    template <typename... T> void SetDynamicShape(T... values) { shape_ = Shape_(values...); }

    TileDType &data() {
        handle();
        return data_;
    }
    const TileDType &data() const {
        handle();
        return data_;
    }

    PTO_CONV_PROPERTY(FmapH, std::uint16_t, fmap_h)
    PTO_CONV_PROPERTY(FmapW, std::uint16_t, fmap_w)
    PTO_CONV_PROPERTY(FilterH, std::uint16_t, filter_h)
    PTO_CONV_PROPERTY(FilterW, std::uint16_t, filter_w)
    PTO_CONV_PROPERTY(DilationH, std::uint8_t, dilation_h)
    PTO_CONV_PROPERTY(DilationW, std::uint8_t, dilation_w)
    PTO_CONV_PROPERTY(StrideH, std::uint8_t, stride_h)
    PTO_CONV_PROPERTY(StrideW, std::uint8_t, stride_w)
    PTO_CONV_PROPERTY(ChannelSize, std::uint16_t, channel_size)
    PTO_CONV_PROPERTY(RepeatStride, std::uint16_t, repeat_stride)
    PTO_CONV_PROPERTY(RepeatTime, std::uint8_t, repeat_time)
    PTO_CONV_PROPERTY(RepeatMode, std::uint8_t, repeat_mode)
    PTO_CONV_PROPERTY(Transpose, bool, transpose)
    PTO_CONV_PROPERTY(DstStride, std::uint16_t, dst_stride)
    PTO_CONV_PROPERTY(DstMposition, std::uint16_t, dst_m_position)
    std::uint8_t GetPadList(int index) const { return conv_.pad_list[index & 3]; }
    void SetPadList(int index, std::uint8_t value) { conv_.pad_list[index & 3] = value; }
    const std::uint8_t *GetPadListArray() const { return conv_.pad_list; }
    void SetPadListArray(const std::uint8_t *values) { std::memcpy(conv_.pad_list, values, 4); }
    Element_ GetPadValue() const {
        Element_ value;
        std::memcpy(static_cast<void *>(&value), &conv_.pad_value, sizeof value);
        return value;
    }
    void SetPadValue(Element_ value) {
        conv_.pad_value = 0;
        std::memcpy(&conv_.pad_value, static_cast<const void *>(&value), sizeof value);
    }

    /* ---- for the facade ---- */
    pto_tile *handle() const {
        bind();
        data_ = static_cast<TileDType>(handle_.data);
        return fresh();
    }
    pto_tile *fresh() const {
        for (int i = 0; i < PTO_CONV_DIMS; i++)
            conv_.shape[i] = static_cast<std::int32_t>(shape_.shape[i]);
        handle_.type.conv = &conv_;
        return &handle_;
    }

  private:
    explicit ConvTile(const Shape_ &shape) : TileBase(type()), shape_(shape) {
        std::int32_t extents[PTO_CONV_DIMS];
        for (int i = 0; i < PTO_CONV_DIMS; i++)
            extents[i] = static_cast<std::int32_t>(shape.shape[i]);
        conv_ = pto_conv_make(static_cast<pto_layout>(Layout_), totalDimCount, extents);
    }

    mutable pto_conv conv_;
    Shape_ shape_;
    mutable TileDType data_ = nullptr;
};
#undef PTO_CONV_PROPERTY

PTO_NAMESPACE_END

#endif
