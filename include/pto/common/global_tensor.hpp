/* SPDX-License-Identifier: Apache-2.0 */
/* Shape, Stride and GlobalTensor: five dimensions, strides in elements (00-model, 6). */
#ifndef PTO_COMMON_GLOBAL_TENSOR_HPP
#define PTO_COMMON_GLOBAL_TENSOR_HPP

#include <pto/common/runtime.hpp>

PTO_NAMESPACE_BEGIN

struct GlobalTensorDim {
    static constexpr int DIM_0 = 0;
    static constexpr int DIM_1 = 1;
    static constexpr int DIM_2 = 2;
    static constexpr int DIM_3 = 3;
    static constexpr int DIM_4 = 4;
    static constexpr int TOTAL_DIM = 5;
};

namespace detail {

/* Five extents or strides: static ones from the type, dynamic ones (-1) from the constructor, else 1. */
template <std::int64_t... N> struct Five {
    static_assert(sizeof...(N) == 5, "[PTO][SA] PTO-E0304 Shape, Stride: five values");
    static constexpr std::int64_t fixed[5] = {N...};
    static constexpr int dynamic = ((N == DYNAMIC ? 1 : 0) + ...);

    static void fill(std::int64_t (&out)[5]) {
        for (int i = 0; i < 5; i++)
            out[i] = fixed[i] == DYNAMIC ? 1 : fixed[i];
    }
    static void fill(std::int64_t (&out)[5], const std::int64_t (&values)[5]) {
        for (int i = 0; i < 5; i++)
            out[i] = fixed[i] == DYNAMIC ? values[i] : fixed[i];
    }
    template <int Count>
    static void fill_dynamic(std::int64_t (&out)[5], const std::int64_t (&values)[Count]) {
        static_assert(
            Count == dynamic,
            "[PTO][SA] PTO-E0304 Shape, Stride: a constructor takes five values or the dynamic ones");
        int next = 0;
        for (int i = 0; i < 5; i++)
            out[i] = fixed[i] == DYNAMIC ? values[next++] : fixed[i];
    }
};

} // namespace detail

#define PTO_FIVE(name, member, static_member)                                                                \
    template <std::int64_t N1 = DYNAMIC, std::int64_t N2 = DYNAMIC, std::int64_t N3 = DYNAMIC,               \
              std::int64_t N4 = DYNAMIC, std::int64_t N5 = DYNAMIC>                                          \
    struct name {                                                                                            \
        using Values = detail::Five<N1, N2, N3, N4, N5>;                                                     \
        static constexpr std::int64_t static_member[5] = {N1, N2, N3, N4, N5};                               \
        std::int64_t member[5];                                                                              \
        name() { Values::fill(member); }                                                                     \
        name(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, std::int64_t e) {               \
            Values::fill(member, {a, b, c, d, e});                                                           \
        }                                                                                                    \
        template <typename T = void> explicit name(std::int64_t a) {                                         \
            Values::template fill_dynamic<1>(member, {a});                                                   \
        }                                                                                                    \
        template <typename T = void> name(std::int64_t a, std::int64_t b) {                                  \
            Values::template fill_dynamic<2>(member, {a, b});                                                \
        }                                                                                                    \
        template <typename T = void> name(std::int64_t a, std::int64_t b, std::int64_t c) {                  \
            Values::template fill_dynamic<3>(member, {a, b, c});                                             \
        }                                                                                                    \
        template <typename T = void> name(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {  \
            Values::template fill_dynamic<4>(member, {a, b, c, d});                                          \
        }                                                                                                    \
    }
PTO_FIVE(Shape, shape, staticShape);
PTO_FIVE(Stride, stride, staticStride);
#undef PTO_FIVE

template <typename Element_, typename Shape_, typename Stride_, Layout Layout_ = Layout::ND>
class GlobalTensor {
  public:
    using Shape = Shape_;
    using Stride = Stride_;
    using RawDType = remove_gm_t<Element_>;
    using DType = __gm__ Element_;

    static constexpr Layout layout = Layout_;
    static constexpr std::int64_t staticShape[5] = {Shape_::staticShape[0], Shape_::staticShape[1],
                                                    Shape_::staticShape[2], Shape_::staticShape[3],
                                                    Shape_::staticShape[4]};
    static constexpr std::int64_t staticStride[5] = {Stride_::staticStride[0], Stride_::staticStride[1],
                                                     Stride_::staticStride[2], Stride_::staticStride[3],
                                                     Stride_::staticStride[4]};
    static_assert(detail::dtype_v<Element_> != PTO_DTYPE_NONE,
                  "[PTO][SA] PTO-E0302 GlobalTensor: Element is none of the element types");

    GlobalTensor() = default;
    GlobalTensor(DType *data, const Shape_ &shape = Shape_(), const Stride_ &stride = Stride_())
        : data_(data), shape_(shape), stride_(stride) {}

    std::int64_t GetShape(int dim) const { return dim >= 0 && dim < 5 ? shape_.shape[dim] : -1; }
    std::int64_t GetStride(int dim) const { return dim >= 0 && dim < 5 ? stride_.stride[dim] : -1; }
    template <int d> static constexpr std::int64_t GetShape() {
        static_assert(d >= 0 && d < 5 && staticShape[d] != DYNAMIC,
                      "[PTO][SA] PTO-E0304 GetShape<d>: this dimension is static");
        return staticShape[d];
    }
    template <int d> static constexpr std::int64_t GetStride() {
        static_assert(d >= 0 && d < 5 && staticStride[d] != DYNAMIC,
                      "[PTO][SA] PTO-E0304 GetStride<d>: this dimension is static");
        return staticStride[d];
    }
    template <int... d, typename... T> void SetShape(T... values) {
        static_assert(sizeof...(d) == sizeof...(T) && ((d >= 0 && d < 5 && staticShape[d] == DYNAMIC) && ...),
                      "[PTO][SA] PTO-E0304 SetShape<d...>: a value for each dimension, all of them dynamic");
        ((shape_.shape[d] = static_cast<std::int64_t>(values)), ...);
    }
    template <int... d, typename... T> void SetStride(T... values) {
        static_assert(sizeof...(d) == sizeof...(T) &&
                          ((d >= 0 && d < 5 && staticStride[d] == DYNAMIC) && ...),
                      "[PTO][SA] PTO-E0304 SetStride<d...>: a value for each dimension, all of them dynamic");
        ((stride_.stride[d] = static_cast<std::int64_t>(values)), ...);
    }
    DType *data() const { return data_; }
    void SetAddr(DType *data) { data_ = data; }

    RawDType GetElement(std::int64_t offset) const { return data_[offset]; }
    RawDType GetElement(std::int64_t i0, std::int64_t i1, std::int64_t i2, std::int64_t i3,
                        std::int64_t i4) const {
        return data_[i0 * stride_.stride[0] + i1 * stride_.stride[1] + i2 * stride_.stride[2] +
                     i3 * stride_.stride[3] + i4 * stride_.stride[4]];
    }
    void SetElement(std::int64_t offset, RawDType value) { data_[offset] = value; }
    void AddToElement(std::int64_t offset, RawDType value) {
        data_[offset] = static_cast<RawDType>(data_[offset] + value);
    }

    /* The library's view of it. */
    pto_global handle() const {
        pto_global g = {};
        g.dtype = detail::dtype_v<Element_>;
        g.layout = static_cast<pto_layout>(Layout_);
        for (int i = 0; i < 5; i++) {
            g.shape[i] = shape_.shape[i];
            g.stride[i] = stride_.stride[i];
        }
        g.data = const_cast<RawDType *>(data_);
        g.read_only = std::is_const_v<Element_>;
        pto_check_bound(&g);
        return g;
    }

  private:
    DType *data_ = nullptr;
    Shape_ shape_;
    Stride_ stride_;
};

/* ---- two-dimensional helpers (00-model, 6.3) ---- */

namespace detail {

struct Dims5 {
    std::int64_t v[5];
};
/* Shape and stride of a rows x cols matrix; -1 where a dynamic extent takes part. */
constexpr std::int64_t times(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 ? -1 : a * b; }
constexpr std::int64_t over(std::int64_t a, std::int64_t b) { return a < 0 ? -1 : a / b; }

constexpr Dims5 shape_2d(Layout l, std::int64_t c0, std::int64_t r, std::int64_t c) {
    switch (l) {
    case Layout::NZ:
        return {{1, over(c, c0), over(r, 16), 16, c0}};
    case Layout::MX_A_ZZ:
        return {{1, over(r, 16), over(c, 2), 16, 2}};
    case Layout::MX_A_ND:
        return {{1, 1, r, over(c, 2), 2}};
    case Layout::MX_A_DN:
        return {{1, 1, over(c, 2), r, 2}};
    case Layout::MX_B_NN:
        return {{1, over(c, 16), over(r, 2), 16, 2}};
    case Layout::MX_B_ND:
        return {{1, 1, over(r, 2), c, 2}};
    case Layout::MX_B_DN:
        return {{1, 1, c, over(r, 2), 2}};
    case Layout::HIF4_A_ZZ:
        return {{1, over(r, 16), c, 16, 4}};
    case Layout::HIF4_B_NN:
        return {{1, over(c, 16), r, 16, 4}};
    default:
        return {{1, 1, 1, r, c}};
    }
}
constexpr Dims5 stride_2d(Layout l, std::int64_t c0, std::int64_t r, std::int64_t c) {
    const std::int64_t rc = times(r, c);
    switch (l) {
    case Layout::DN:
        return {{rc, rc, rc, 1, r}};
    case Layout::NZ:
        return {{rc, times(r, c0), 16 * c0, c0, 1}};
    case Layout::MX_A_ZZ:
        return {{rc, times(c, 16), 32, 2, 1}};
    case Layout::MX_A_ND:
        return {{rc, rc, c, 2, 1}};
    case Layout::MX_A_DN:
        return {{rc, rc, times(r, 2), 2, 1}};
    case Layout::MX_B_NN:
        return {{rc, times(r, 16), 32, 2, 1}};
    case Layout::MX_B_ND:
        return {{rc, rc, times(c, 2), 2, 1}};
    case Layout::MX_B_DN:
        return {{rc, rc, r, 2, 1}};
    case Layout::HIF4_A_ZZ:
        return {{rc, times(c, 16), 64, 4, 1}};
    case Layout::HIF4_B_NN:
        return {{rc, times(r, 16), 64, 4, 1}};
    default:
        return {{rc, rc, rc, c, 1}};
    }
}
template <typename T> constexpr std::int64_t c0_of = 32 / static_cast<std::int64_t>(sizeof(T));

#define PTO_DIMS_BASE(base, f)                                                                               \
    base<f(L, c0_of<T>, rows, cols).v[0], f(L, c0_of<T>, rows, cols).v[1], f(L, c0_of<T>, rows, cols).v[2],  \
         f(L, c0_of<T>, rows, cols).v[3], f(L, c0_of<T>, rows, cols).v[4]>
template <typename T, std::int64_t rows, std::int64_t cols, Layout L>
using Shape2D = PTO_DIMS_BASE(Shape, shape_2d);
template <typename T, std::int64_t rows, std::int64_t cols, Layout L>
using Stride2D = PTO_DIMS_BASE(Stride, stride_2d);
#undef PTO_DIMS_BASE

} // namespace detail

template <typename T, int rows = DYNAMIC, int cols = DYNAMIC, Layout L = Layout::ND>
struct TileShape2D : detail::Shape2D<T, rows, cols, L> {
    using Base = detail::Shape2D<T, rows, cols, L>;
    static_assert(L != Layout::NZ ||
                      ((rows < 0 || rows % 16 == 0) && (cols < 0 || cols % detail::c0_of<T> == 0)),
                  "[PTO][SA] PTO-E0312 TileShape2D: NZ has rows in multiples of 16 and cols of 32 bytes");
    using Base::Base;
    TileShape2D() = default;
    TileShape2D(std::int64_t r, std::int64_t c)
        : TileShape2D(detail::shape_2d(L, detail::c0_of<T>, rows < 0 ? r : rows, cols < 0 ? c : cols)) {}

  private:
    explicit TileShape2D(const detail::Dims5 &d) : Base(d.v[0], d.v[1], d.v[2], d.v[3], d.v[4]) {}
};

template <typename T, int rows = DYNAMIC, int cols = DYNAMIC, Layout L = Layout::ND>
struct BaseShape2D : detail::Stride2D<T, rows, cols, L> {
    using Base = detail::Stride2D<T, rows, cols, L>;
    static_assert(L != Layout::NZ ||
                      ((rows < 0 || rows % 16 == 0) && (cols < 0 || cols % detail::c0_of<T> == 0)),
                  "[PTO][SA] PTO-E0312 BaseShape2D: NZ has rows in multiples of 16 and cols of 32 bytes");
    using Base::Base;
    BaseShape2D() = default;
    BaseShape2D(std::int64_t r, std::int64_t c)
        : BaseShape2D(detail::stride_2d(L, detail::c0_of<T>, rows < 0 ? r : rows, cols < 0 ? c : cols)) {}

  private:
    explicit BaseShape2D(const detail::Dims5 &d) : Base(d.v[0], d.v[1], d.v[2], d.v[3], d.v[4]) {}
};

PTO_NAMESPACE_END

#endif
