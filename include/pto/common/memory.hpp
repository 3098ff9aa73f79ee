/* SPDX-License-Identifier: Apache-2.0 */
/* On-chip memories of the thread's core and addresses in them: TASSIGN, NPU_MEMORY_INIT, NPUMemoryModel
 * (00-model, 8, 9 and 14.1). */
#ifndef PTO_COMMON_MEMORY_HPP
#define PTO_COMMON_MEMORY_HPP

#include <pto/common/utils.hpp>

#ifndef PTO_UBUF_SIZE_BYTES
#define PTO_UBUF_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_VEC))
#endif
#ifndef PTO_CBUF_SIZE_BYTES
#define PTO_CBUF_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_MAT))
#endif
#ifndef PTO_L0A_SIZE_BYTES
#define PTO_L0A_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_LEFT))
#endif
#ifndef PTO_L0B_SIZE_BYTES
#define PTO_L0B_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_RIGHT))
#endif
#ifndef PTO_L0C_SIZE_BYTES
#define PTO_L0C_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_ACC))
#endif
#ifndef PTO_BIAS_SIZE_BYTES
#define PTO_BIAS_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_BIAS))
#endif
#ifndef PTO_FBUF_SIZE_BYTES
#define PTO_FBUF_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_SCALING))
#endif
#ifndef PTO_SCALELEFT_SIZE_BYTES
#define PTO_SCALELEFT_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_SCALE_LEFT))
#endif
#ifndef PTO_SCALERIGHT_SIZE_BYTES
#define PTO_SCALERIGHT_SIZE_BYTES (::pto::detail::capacity(::pto::detail::target, PTO_LOC_SCALE_RIGHT))
#endif

PTO_NAMESPACE_BEGIN

namespace detail {

/* Bytes of a memory for static checks: the target's, or what the build says (PTO_UBUF_SIZE_BYTES, ...). */
constexpr std::uint64_t memory_bytes(TileType loc) {
    switch (loc) {
    case TileType::Vec:
    case TileType::Ctrl:
        return PTO_UBUF_SIZE_BYTES;
    case TileType::Mat:
        return PTO_CBUF_SIZE_BYTES;
    case TileType::Left:
        return PTO_L0A_SIZE_BYTES;
    case TileType::Right:
        return PTO_L0B_SIZE_BYTES;
    case TileType::Acc:
        return PTO_L0C_SIZE_BYTES;
    case TileType::Bias:
        return PTO_BIAS_SIZE_BYTES;
    case TileType::Scaling:
        return PTO_FBUF_SIZE_BYTES;
    case TileType::ScaleLeft:
        return PTO_SCALELEFT_SIZE_BYTES;
    default:
        return PTO_SCALERIGHT_SIZE_BYTES;
    }
}

template <typename T> constexpr std::uint64_t bytes_of() {
    if constexpr (is_conv_tile_v<T>)
        return static_cast<std::uint64_t>(T::bufferSize) * sizeof(typename T::DType);
    else
        return (static_cast<std::uint64_t>(T::Rows) * T::Cols * bits_of(dtype_v<typename T::DType>) + 7) / 8;
}

constexpr pto_loc memory_of(TileType loc) {
    return static_cast<pto_loc>(loc == TileType::Ctrl ? TileType::Vec : loc);
}

/* A host address inside one of the core's memories, as an offset in the memory of the tile. */
inline std::uint64_t region_offset(pto_loc loc, std::uint64_t address) {
    std::uint32_t bytes = 0;
    const auto base = reinterpret_cast<std::uintptr_t>(pto_core_memory(core(), loc, &bytes));
    return address >= base && address < base + bytes ? address - base : address;
}

} // namespace detail

/* ---- TASSIGN ---- */

/* Places a tile at a byte address of its memory. Auto mode: no effect. */
template <typename T, typename A, std::enable_if_t<is_tile_data_v<T> || is_conv_tile_v<T>, int> = 0>
PTO_INST RecordEvent TASSIGN(T &tile, A addr, detail::Here here = detail::Here::at()) {
    static_assert(std::is_integral_v<A> || std::is_enum_v<A>,
                  "[PTO][SA] PTO-E0304 TASSIGN: the address of a tile is an integer");
    const std::uint64_t offset =
        detail::region_offset(detail::memory_of(T::Loc), static_cast<std::uint64_t>(addr));
    const pto_operand operands[] = {detail::tile_operand(tile.fresh()),
                                    detail::scalar_operand(static_cast<std::int64_t>(offset))};
    detail::issue(PTO_FORM_TASSIGN, operands, here);
    if (tile.raw()->assigned)
        tile.own(nullptr);
    return RecordEvent(here);
}

/* The same with what can be known of a constant address checked by the compiler (hardware targets; cpu checks
 * when it runs, since its memories may be enlarged). */
template <auto Addr, typename T>
PTO_INST RecordEvent TASSIGN(T &tile, detail::Here here = detail::Here::at()) {
    static_assert(is_tile_data_v<T> || is_conv_tile_v<T>,
                  "[PTO][SA] PTO-E0304 TASSIGN<Addr>: the operand is a tile");
    constexpr bool fixed = detail::target != PTO_TARGET_CPU;
    constexpr std::uint64_t memory = detail::memory_bytes(T::Loc), bytes = detail::bytes_of<T>();
    static_assert(!fixed || memory > 0,
                  "[PTO][SA] SA-0351 TASSIGN<Addr>: the target has no memory for this location");
    static_assert(!fixed || bytes <= memory,
                  "[PTO][SA] SA-0352 TASSIGN<Addr>: the tile is larger than its memory");
    static_assert(!fixed || bytes > memory || static_cast<std::uint64_t>(Addr) <= memory - bytes,
                  "[PTO][SA] SA-0353 TASSIGN<Addr>: the tile ends behind its memory");
    static_assert(static_cast<std::uint64_t>(Addr) % 32 == 0,
                  "[PTO][SA] SA-0354 TASSIGN<Addr>: the address is a multiple of 32");
    return TASSIGN(tile, Addr, here);
}

/* Binds a tensor to a pointer. */
template <typename T, typename P, std::enable_if_t<is_global_data_v<T>, int> = 0>
PTO_INST RecordEvent TASSIGN(T &tensor, P pointer, detail::Here here = detail::Here::at()) {
    static_assert(std::is_pointer_v<P>,
                  "[PTO][SA] PTO-E0304 TASSIGN: the address of a GlobalTensor is a pointer");
    if constexpr (std::is_pointer_v<P>) {
        static_assert(
            std::is_same_v<std::remove_pointer_t<P>, typename T::DType>,
            "[PTO][SA] PTO-E0303 TASSIGN: the pointer points to the element type of the GlobalTensor");
        tensor.SetAddr(pointer);
    }
    return RecordEvent(here);
}

/* ---- the memories themselves ---- */

/* What the simulator calls its memories. All of it is the calling thread's. */
class NPUMemoryModel {
  public:
    struct Sizes {
        std::size_t reg, ub, l1, l0a, l0b, l0c, l0a_mx, l0b_mx;
    };

    static NPUMemoryModel &Instance() {
        static thread_local NPUMemoryModel model;
        return model;
    }
    static void SetDefaultArch(NPUArch arch) { detail::cpu_capacities = static_cast<int>(arch); }
    /* A new core with zeroed memories; tiles of the former one must not be used any more. A build for a2a3 or
     * a5 keeps its own capacities. */
    void Initialize(NPUArch arch) {
        SetDefaultArch(arch);
        Reset();
    }
    void EnsureInitialized() { detail::core(); }
    bool IsInitialized() const { return pto_core_existing() != nullptr; }
    void Clear() {
        for (int loc = 0; loc < PTO_LOC_COUNT; loc++) {
            std::uint32_t bytes = 0;
            void *memory = pto_core_memory(detail::core(), static_cast<pto_loc>(loc), &bytes);
            std::memset(memory, 0, bytes);
        }
        std::memset(registers_, 0, sizeof registers_);
    }
    void Reset() {
        detail::make_core();
        pto_agent_flags_end(false);
    }

    NPUArch GetArch() const {
        return detail::target == PTO_TARGET_A2A3 ? NPUArch::A2A3
               : detail::target == PTO_TARGET_A5 ? NPUArch::A5
                                                 : static_cast<NPUArch>(detail::cpu_capacities.load());
    }
    Sizes GetSizes() const {
        return {sizeof registers_,         bytes(PTO_LOC_VEC),        bytes(PTO_LOC_MAT),
                bytes(PTO_LOC_LEFT),       bytes(PTO_LOC_RIGHT),      bytes(PTO_LOC_ACC),
                bytes(PTO_LOC_SCALE_LEFT), bytes(PTO_LOC_SCALE_RIGHT)};
    }

    template <typename TileT> typename TileT::TileDType GetPointer(std::size_t offset) const {
        return reinterpret_cast<typename TileT::TileDType>(base(detail::memory_of(TileT::Loc)) + offset);
    }
    template <typename TileT> typename TileT::TileDType ResolveAssignedAddress(std::uint64_t address) const {
        return GetPointer<TileT>(
            static_cast<std::size_t>(detail::region_offset(detail::memory_of(TileT::Loc), address)));
    }
    bool ContainsAddress(std::uint64_t address) const {
        for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
            if (inside(static_cast<pto_loc>(loc), address))
                return true;
        return false;
    }
    /* Offset in its memory of a host pointer. */
    template <typename T>
    std::uint64_t GetNPUAddr(const T *pointer, detail::Here here = detail::Here::at()) const {
        const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
        for (int loc = 0; loc < PTO_LOC_COUNT; loc++)
            if (inside(static_cast<pto_loc>(loc), address))
                return detail::region_offset(static_cast<pto_loc>(loc), address);
        detail::raise(PTO_ERR_USAGE, "SA-0353",
                      here.text() + "GetNPUAddr: the pointer lies in no on-chip memory of this thread");
    }

    char *GetREGBase() { return reinterpret_cast<char *>(registers_); }
    char *GetUBBase() const { return base(PTO_LOC_VEC); }
    char *GetL1Base() const { return base(PTO_LOC_MAT); }
    char *GetL0ABase() const { return base(PTO_LOC_LEFT); }
    char *GetL0BBase() const { return base(PTO_LOC_RIGHT); }
    char *GetL0CBase() const { return base(PTO_LOC_ACC); }

  private:
    static char *base(pto_loc loc) {
        return static_cast<char *>(pto_core_memory(detail::core(), loc, nullptr));
    }
    static std::size_t bytes(pto_loc loc) {
        std::uint32_t n = 0;
        pto_core_memory(detail::core(), loc, &n);
        return n;
    }
    static bool inside(pto_loc loc, std::uint64_t address) {
        const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(base(loc)));
        return address >= begin && address < begin + bytes(loc);
    }

    std::uint64_t registers_[16] = {};
};

/* The address of a payload tile shifted to that of its scales. */
template <typename T> std::uint64_t GetScaleAddr(const T *pointer, detail::Here here = detail::Here::at()) {
    return NPUMemoryModel::Instance().GetNPUAddr(pointer, here) >> SHIFT_MX_ADDR;
}

inline void NPU_MEMORY_INIT(NPUArch arch = NPUArch::A2A3) { NPUMemoryModel::Instance().Initialize(arch); }
inline void NPU_MEMORY_CLEAR() { NPUMemoryModel::Instance().Clear(); }

PTO_NAMESPACE_END

#endif
