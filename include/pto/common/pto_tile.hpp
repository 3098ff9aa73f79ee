/* SPDX-License-Identifier: Apache-2.0 */
/* Tile and its aliases (00-model, 3 and 5). A tile is a handle: copies share its bytes. Unassigned tiles own
 * storage, counted by their copies and views, from their first use on. */
#ifndef PTO_COMMON_PTO_TILE_HPP
#define PTO_COMMON_PTO_TILE_HPP

#include <pto/common/runtime.hpp>

#include <cstring>

PTO_NAMESPACE_BEGIN

namespace detail {

/* Storage of unassigned tiles; the bytes follow the header, aligned to 64. */
struct Storage {
    std::atomic<int> users;
    std::size_t size;

    static Storage *make(std::size_t bytes) {
        void *memory = std::aligned_alloc(64, 64 + (bytes + 63) / 64 * 64);
        if (!memory)
            raise(PTO_ERR_NOMEM, "", "no memory for a tile");
        std::memset(memory, 0, 64 + bytes);
        Storage *storage = new (memory) Storage;
        storage->users = 1;
        storage->size = bytes;
        return storage;
    }
    void *bytes() { return reinterpret_cast<char *>(this) + 64; }
    Storage *share() {
        users.fetch_add(1, std::memory_order_relaxed);
        return this;
    }
    static void drop(Storage *storage) {
        if (storage && storage->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            pto_check_forget(storage->bytes(), storage->size);
            storage->~Storage();
            std::free(storage);
        }
    }
};

/* What all tiles have: the library's tile and the storage it stands in, if that is the tile's own. */
class TileBase {
  public:
    explicit TileBase(const pto_tile_type &type) noexcept : handle_(), storage_(nullptr) {
        handle_.type = type;
        handle_.valid_rows = type.valid_rows < 0 ? type.rows : type.valid_rows;
        handle_.valid_cols = type.valid_cols < 0 ? type.cols : type.valid_cols;
    }
    TileBase(const TileBase &other) : storage_(nullptr) {
        other.bind();
        handle_ = other.handle_;
        storage_ = other.storage_ ? other.storage_->share() : nullptr;
    }
    TileBase &operator=(const TileBase &other) {
        if (this != &other) {
            other.bind();
            adopt(other);
            handle_ = other.handle_;
        }
        return *this;
    }
    ~TileBase() { Storage::drop(storage_); }

    /* An unassigned tile gets its storage. */
    void bind() const {
        if (!handle_.data) {
            storage_ = Storage::make(static_cast<std::size_t>(pto_tile_type_bytes(&handle_.type)));
            handle_.data = storage_->bytes();
        }
    }
    /* This tile now stands in the storage of another, or in a memory of the core (NULL). */
    void adopt(const TileBase &other) { own(other.storage_ ? other.storage_->share() : nullptr); }
    void own(Storage *storage) {
        Storage::drop(storage_);
        storage_ = storage;
    }
    pto_tile *raw() const { return &handle_; }

  protected:
    mutable pto_tile handle_;
    mutable Storage *storage_;
};

constexpr int box_rows(SLayout s, int fractal, std::size_t size, bool twin) {
    const int width = twin ? 64 : static_cast<int>(32 / size);
    return fractal == 1024          ? 16
           : fractal == 32          ? (s == SLayout::RowMajor ? 16 : 2)
           : s == SLayout::RowMajor ? 16
           : s == SLayout::ColMajor ? width
                                    : 1;
}
constexpr int box_cols(SLayout s, int fractal, std::size_t size, bool twin) {
    const int width = twin ? 64 : static_cast<int>(32 / size);
    return fractal == 1024          ? 16
           : fractal == 32          ? (s == SLayout::RowMajor ? 2 : 16)
           : s == SLayout::RowMajor ? width
           : s == SLayout::ColMajor ? 16
                                    : 1;
}

} // namespace detail

template <TileType Loc_, typename Element_, int Rows_, int Cols_, BLayout BFractal_ = BLayout::RowMajor,
          int RowValid_ = Rows_, int ColValid_ = Cols_, SLayout SFractal_ = SLayout::NoneBox,
          int SFractalSize_ = TileConfig::fractalABSize, auto PadVal_ = PadValue::Null,
          CompactMode Compact_ = CompactMode::Null>
class Tile : public detail::TileBase {
    static constexpr std::size_t size_ = sizeof(Element_);
    static constexpr pto_dtype dtype_ = detail::dtype_v<Element_>;
    static constexpr bool packed_ = detail::bits_of(dtype_) == 4;

  public:
    using DType = Element_;
    using TileDType = DType *;

    static constexpr TileType Loc = Loc_;
    static constexpr int Rows = Rows_;
    static constexpr int Cols = Cols_;
    static constexpr int ValidRow = RowValid_;
    static constexpr int ValidCol = ColValid_;
    static constexpr BLayout BFractal = BFractal_;
    static constexpr SLayout SFractal = SFractal_;
    static constexpr int SFractalSize = SFractalSize_;
    static constexpr PadValue PadVal = static_cast<PadValue>(PadVal_);
    static constexpr CompactMode Compact = Compact_;
    static constexpr bool isRowMajor = BFractal_ == BLayout::RowMajor;
    static constexpr bool isBoxedLayout = SFractal_ != SLayout::NoneBox;
    static constexpr bool isInnerRowMajor = SFractal_ == SLayout::RowMajor;
    static constexpr bool isInnerColMajor = SFractal_ == SLayout::ColMajor;
    static constexpr int RowStride = isRowMajor ? Cols_ : 1;
    static constexpr int ColStride = isRowMajor ? 1 : Rows_;
    static constexpr int Numel = Rows_ * Cols_;
    static constexpr int InnerRows =
        detail::box_rows(SFractal_, SFractalSize_, size_, packed_ &&isBoxedLayout);
    static constexpr int InnerCols =
        detail::box_cols(SFractal_, SFractalSize_, size_, packed_ &&isBoxedLayout);
    static constexpr int InnerNumel = InnerRows * InnerCols;

    static_assert(
        dtype_ != PTO_DTYPE_NONE,
        "[PTO][SA] PTO-E0302 Tile: Element is none of the element types (integers of 8 to 64 bits, half, "
        "bfloat16_t, float, float8_*_t, hifloat8_t, float4_*x2_t, int4b_t)");
    static_assert(Rows_ > 0 && Cols_ > 0, "[PTO][SA] PTO-E0310 Tile: Rows and Cols are at least 1");
    static_assert(RowValid_ >= DYNAMIC && RowValid_ <= Rows_,
                  "[PTO][SA] PTO-E0310 Tile: RowValid lies in 0..Rows, or is DYNAMIC (-1)");
    static_assert(ColValid_ >= DYNAMIC && ColValid_ <= Cols_,
                  "[PTO][SA] PTO-E0310 Tile: ColValid lies in 0..Cols, or is DYNAMIC (-1)");
    static_assert(SFractalSize_ == 512 || SFractalSize_ == 1024 || SFractalSize_ == 32,
                  "[PTO][SA] PTO-E0311 Tile: SFractalSize is 512, 1024 or 32 bytes");
    static_assert(!isBoxedLayout || Cols_ % InnerCols == 0,
                  "[PTO][SA] PTO-E0312 Tile: Cols of a boxed tile is a multiple of InnerCols");
    static_assert(
        !isBoxedLayout || Rows_ % InnerRows == 0 || Rows_ == 1 ||
            (!isRowMajor && isInnerRowMajor && (Loc_ == TileType::Vec || SFractalSize_ == 32)),
        "[PTO][SA] PTO-E0313 Tile: Rows of a boxed tile is a multiple of InnerRows (but for one row, and "
        "for Nz in Vec)");
    static_assert(
        isBoxedLayout || (static_cast<std::size_t>(isRowMajor ? Cols_ : Rows_) * size_) % 32 == 0,
        "[PTO][SA] PTO-E0314 Tile: a flat row-major tile has Cols * sizeof(Element), a col-major one Rows * "
        "sizeof(Element), divisible by 32");
    static_assert(Loc_ == TileType::Ctrl || detail::capacity(detail::target, static_cast<int>(Loc_)) > 0,
                  "[PTO][SA] SA-0351 Tile: the target has no memory for this location");

    static constexpr pto_tile_type type() {
        pto_tile_type t = {};
        t.loc = static_cast<pto_loc>(Loc_ == TileType::Ctrl ? TileType::Vec : Loc_);
        t.dtype = dtype_;
        t.rows = Rows_;
        t.cols = Cols_;
        t.valid_rows = RowValid_;
        t.valid_cols = ColValid_;
        t.blayout = isRowMajor ? PTO_ROW_MAJOR : PTO_COL_MAJOR;
        t.slayout = static_cast<pto_slayout>(SFractal_);
        t.fractal = SFractalSize_;
        t.pad = static_cast<pto_pad>(PadVal);
        t.compact = static_cast<pto_compact>(Compact_);
        return t;
    }

    /* Dynamic extents of a default-constructed tile start at the capacity. */
    Tile() : TileBase(type()) {}
    template <typename A, typename B, int R = RowValid_, int C = ColValid_,
              std::enable_if_t<R == DYNAMIC && C == DYNAMIC && std::is_convertible_v<A, int> &&
                                   std::is_convertible_v<B, int>,
                               int> = 0>
    Tile(A rows, B cols, detail::Here here = detail::Here::at()) : TileBase(type()) {
        SetValidShape(static_cast<unsigned>(rows), static_cast<unsigned>(cols), here);
    }
    template <typename A, int R = RowValid_, int C = ColValid_,
              std::enable_if_t<(R == DYNAMIC) != (C == DYNAMIC) && std::is_convertible_v<A, int>, int> = 0>
    explicit Tile(A extent, detail::Here here = detail::Here::at()) : TileBase(type()) {
        if constexpr (R == DYNAMIC)
            SetValidRow(static_cast<unsigned>(extent), here);
        else
            SetValidCol(static_cast<unsigned>(extent), here);
    }
    Tile(const Tile &other) = default;
#ifdef __PTO_AUTO__
    Tile &operator=(const Tile &) = delete;
#else
    Tile &operator=(const Tile &other) = default;
#endif

    template <int R = RowValid_, std::enable_if_t<(R >= 0), int> = 0>
    static constexpr unsigned GetValidRow() {
        return static_cast<unsigned>(R);
    }
    template <int R = RowValid_, std::enable_if_t<(R < 0), int> = 0> unsigned GetValidRow() const {
        return RowMaskInternal;
    }
    template <int C = ColValid_, std::enable_if_t<(C >= 0), int> = 0>
    static constexpr unsigned GetValidCol() {
        return static_cast<unsigned>(C);
    }
    template <int C = ColValid_, std::enable_if_t<(C < 0), int> = 0> unsigned GetValidCol() const {
        return ColMaskInternal;
    }
    template <int R = RowValid_, std::enable_if_t<(R < 0), int> = 0>
    void SetValidRow(unsigned rows, detail::Here here = detail::Here::at()) {
        set_valid(rows, ColMaskInternal, here);
    }
    template <int C = ColValid_, std::enable_if_t<(C < 0), int> = 0>
    void SetValidCol(unsigned cols, detail::Here here = detail::Here::at()) {
        set_valid(RowMaskInternal, cols, here);
    }
    template <int R = RowValid_, int C = ColValid_, std::enable_if_t<(R < 0 || C < 0), int> = 0>
    void SetValidShape(unsigned rows, unsigned cols, detail::Here here = detail::Here::at()) {
        set_valid(rows, cols, here);
    }

    /* The address of element 0. */
    TileDType &data() {
        handle();
        return data_;
    }
    const TileDType &data() const {
        handle();
        return data_;
    }

    /* Raw elements from the base, not (row, column); of 4-bit tiles, bytes. */
    template <TileType L = Loc_>
    DType GetValue(std::uint32_t offset, detail::Here here = detail::Here::at()) {
        static_assert(L == TileType::Vec, "[PTO][SA] PTO-E0320 GetValue: the tile lives in Vec");
        check_offset(offset, here, "GetValue");
        told(offset, false, here);
        return data()[offset];
    }
    template <TileType L = Loc_>
    void SetValue(std::uint32_t offset, DType value, detail::Here here = detail::Here::at()) {
        static_assert(L == TileType::Vec, "[PTO][SA] PTO-E0320 SetValue: the tile lives in Vec");
        check_offset(offset, here, "SetValue");
        told(offset, true, here);
        data()[offset] = value;
    }
    /* By (row, column) through the layout. */
    DType GetElement(std::int64_t row, std::int64_t col) const { return data()[offset(row, col)]; }
    void SetElement(std::int64_t row, std::int64_t col, DType value) { data()[offset(row, col)] = value; }
    void AddToElement(std::int64_t row, std::int64_t col, DType value) {
        DType &element = data()[offset(row, col)];
        element = static_cast<DType>(element + value);
    }

    bool GetKAligned() const { return k_aligned_; }
    void SetKAligned(bool aligned) { k_aligned_ = aligned; }
    void SetMadTF32Mode(RoundMode mode = RoundMode::CAST_ROUND, detail::Here here = detail::Here::at()) {
        const pto_operand operands[] = {detail::attr_operand(true), detail::attr_operand(mode)};
        detail::issue(PTO_FORM_SETTF32MODE, operands, here);
    }
    void ResetMadMode(detail::Here here = detail::Here::at()) {
        const pto_operand operands[] = {detail::attr_operand(false),
                                        detail::attr_operand(RoundMode::CAST_ROUND)};
        detail::issue(PTO_FORM_SETTF32MODE, operands, here);
    }

    static constexpr std::size_t GetSizeInUnits() {
        return static_cast<std::size_t>(packed_ ? Numel / 2 : Numel);
    }
    static constexpr std::size_t GetSizeInBytes() { return GetSizeInUnits() * size_; }

    /* ---- for the facade ---- */

    /* The library's tile, bound to storage and up to date. */
    pto_tile *handle() const {
        bind();
        data_ = static_cast<TileDType>(handle_.data);
        return fresh();
    }
    /* The same without storage: the destination of a view, or of TASSIGN. */
    pto_tile *fresh() const {
        if constexpr (RowValid_ < 0)
            handle_.valid_rows = static_cast<std::int32_t>(RowMaskInternal);
        if constexpr (ColValid_ < 0)
            handle_.valid_cols = static_cast<std::int32_t>(ColMaskInternal);
        return &handle_;
    }

    unsigned RowMaskInternal = static_cast<unsigned>(RowValid_ < 0 ? Rows_ : RowValid_);
    unsigned ColMaskInternal = static_cast<unsigned>(ColValid_ < 0 ? Cols_ : ColValid_);

  private:
    void set_valid(unsigned rows, unsigned cols, detail::Here here) {
        if (rows > static_cast<unsigned>(Rows_) || cols > static_cast<unsigned>(Cols_) ||
            (RowValid_ >= 0 && rows != static_cast<unsigned>(RowValid_)) ||
            (ColValid_ >= 0 && cols != static_cast<unsigned>(ColValid_)))
            detail::check(pto_tile_set_valid(detail::core(), &handle_, static_cast<std::int32_t>(rows),
                                             static_cast<std::int32_t>(cols)),
                          here, "SetValidShape");
        RowMaskInternal = rows;
        ColMaskInternal = cols;
    }
    void told(std::uint32_t offset, bool write, detail::Here here) const {
        pto_check_element(handle(), offset * sizeof(DType), sizeof(DType), write, here.file, here.line);
    }
    static void check_offset(std::uint32_t offset, detail::Here here, const char *call) {
        if (offset >= GetSizeInUnits()) {
            const std::string found = std::to_string(offset),
                              allowed = "0.." + std::to_string(GetSizeInUnits() - 1);
            pto_agent_refuse("PTO-E0909", call, found.c_str(), allowed.c_str());
            detail::check(PTO_ERR_REFUSED, here, call);
        }
    }

  public:
    /* Elements from the base to (row, col): 00-model, 4. */
    static constexpr std::int64_t offset(std::int64_t r, std::int64_t c) {
        if constexpr (Rows_ == 1) { /* a plain vector in every layout */
            return c;
        } else if constexpr (!isBoxedLayout) {
            return isRowMajor ? r * Cols_ + c : c * Rows_ + r;
        } else {
            const std::int64_t br = r / InnerRows, ir = r % InnerRows, bc = c / InnerCols, ic = c % InnerCols;
            const std::int64_t block = isRowMajor ? br * Cols_ * InnerRows + bc * InnerNumel
                                                  : bc * Rows_ * InnerCols + br * InnerNumel;
            return block + (isInnerRowMajor ? ir * InnerCols + ic : ic * InnerRows + ir);
        }
    }

  private:
    mutable TileDType data_ = nullptr;
    bool k_aligned_ = false;
};

/* ---- aliases (00-model, 5) ---- */

namespace detail {
constexpr BLayout left_layout = target == PTO_TARGET_A2A3 ? BLayout::RowMajor : BLayout::ColMajor;
}

#define PTO_TILE_ALIAS(name, loc, blayout, slayout, fractal)                                                 \
    template <typename Element, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>                \
    using name = Tile<TileType::loc, Element, Rows, Cols, blayout, RowValid, ColValid, SLayout::slayout,     \
                      fractal, PadValue::Null, CompactMode::Null>;                                           \
    template <typename Element, int Rows, int Cols, int RowValid = Rows, int ColValid = Cols>                \
    using name##Compact = Tile<TileType::loc, Element, Rows, Cols, blayout, RowValid, ColValid,              \
                               SLayout::slayout, fractal, PadValue::Null, CompactMode::Normal>;
PTO_TILE_ALIAS(TileLeft, Left, detail::left_layout, RowMajor, TileConfig::fractalABSize)
PTO_TILE_ALIAS(TileRight, Right, BLayout::RowMajor, ColMajor, TileConfig::fractalABSize)
PTO_TILE_ALIAS(TileAcc, Acc, BLayout::ColMajor, RowMajor, TileConfig::fractalCSize)
PTO_TILE_ALIAS(TileLeftScale, ScaleLeft, BLayout::RowMajor, RowMajor, TileConfig::fractalMxSize)
PTO_TILE_ALIAS(TileRightScale, ScaleRight, BLayout::ColMajor, ColMajor, TileConfig::fractalMxSize)
#undef PTO_TILE_ALIAS

PTO_NAMESPACE_END

#endif
