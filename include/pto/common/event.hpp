/* SPDX-License-Identifier: Apache-2.0 */
/* Op classes, Event, TSYNC, SYNCALL (00-model, 10, 11.1, 11.3, 11.4). */
#ifndef PTO_COMMON_EVENT_HPP
#define PTO_COMMON_EVENT_HPP

#include <pto/common/pipes.hpp>
#include <pto/common/utils.hpp>

PTO_NAMESPACE_BEGIN

enum class Op : std::uint16_t {
    TLOAD,
    TSTORE_VEC,
    SCALAR,
    TRESHAPE,
    VECTOR,
    TADD,
    TADDS,
    TAXPY,
    TSUB,
    TMUL,
    TMULS,
    TDIV,
    TDIVS,
    TMIN,
    TMINS,
    TMAX,
    TAND,
    TOR,
    TSEL,
    TSHL,
    TSHR,
    TEXP,
    TSELS,
    TSQRT,
    TRSQRT,
    TEXPANDS,
    TEXPANDS_MAT,
    TPARTADD,
    TPARTMUL,
    TPARTMAX,
    TPARTMIN,
    TPOW,
    TPOWS,
    TCMPS,
    TMRGSORT,
    TSORT32,
    TCI,
    TGATHER,
    TGATHERB,
    TCVT,
    TROWSUM,
    TROWPROD,
    TROWMAX,
    TROWMIN,
    TROWEXPAND,
    TRANDOM,
    TCOLSUM,
    TCOLPROD,
    TCOLMAX,
    TCOLMIN,
    TTRANS,
    TTRI,
    TREM,
    TFMOD,
    TREMS,
    TFMODS,
    TSUBS,
    TMAXS,
    TLRELU,
    TPRELU,
    TMOV_V2V,
    TMOV_V2M,
    TEXTRACT_V2M,
    TMOV_M2B,
    TMOV_M2L,
    TMOV_M2R,
    TMOV_M2S,
    TMOV_A2V,
    TMOV_A2M,
    TSTORE_ACC,
    TSTORE_MAT,
    TMATMUL,
    TGEMV,
    TEXTRACT_M2LR,
    TANDS,
    TORS,
    TSHLS,
    TSHRS,
    TXOR,
    TXORS,
    TEXTRACT_A2M,
    TINSERT_A2M,
    TIMG2COL,
    SETFMATRIX,
    SET_IMG2COL_RPT,
    SET_IMG2COL_PADDING,
    TCONCAT,
    TDEQUANT,
    TADDDEQRELU,
    TABS,
    TNEG,
    TRELU,
    TNOT,
    TLOG,
    TRECIP,
    TCMP,
    TSCATTER,
    TCOLEXPAND,
    TCOLEXPANDDIV,
    TCOLEXPANDMUL,
    TCOLEXPANDADD,
    TCOLEXPANDMAX,
    TCOLEXPANDMIN,
    TCOLEXPANDSUB,
    TCOLEXPANDEXPDIF,
    TROWEXPANDDIV,
    TROWEXPANDMUL,
    TROWEXPANDSUB,
    TROWEXPANDADD,
    TROWEXPANDMAX,
    TROWEXPANDMIN,
    TROWEXPANDEXPDIF,
    TPAIRREDUCESUM,
    TSUBRELUCONV,
    TADDRELUCONV,
    TFUSEDMULADD,
    TMULADDDST,
    TSUBRELU,
    TFUSEDMULADDRELU,
    TPARTARGMAX,
    TPARTARGMIN,
    TCOLARGMAX,
    TCOLARGMIN,
    TROWARGMAX,
    TROWARGMIN,
    TPREFETCH,
    TFILLPAD_VEC,
    TFILLPAD_MAT,
    MGATHER_VEC,
    MGATHER_MAT,
    MSCATTER,
    TQUANT,
    THISTOGRAM,
    TINTERLEAVE,
    TDEINTERLEAVE,
    OP_COUNT
};

namespace detail {

/* The pipe of an event class; PIPE_ALL for none. */
constexpr pipe_t pipe_of(Op op) {
    switch (op) {
    case Op::TLOAD:
    case Op::TPREFETCH:
    case Op::TEXPANDS_MAT:
    case Op::TFILLPAD_MAT:
    case Op::MGATHER_MAT:
        return PIPE_MTE2;
    case Op::TSTORE_VEC:
    case Op::TSTORE_MAT:
        return PIPE_MTE3;
    case Op::TMOV_V2M:
    case Op::TEXTRACT_V2M:
    case Op::TMOV_M2S:
    case Op::TMOV_A2V:
    case Op::TMOV_A2M:
    case Op::TSTORE_ACC:
    case Op::TEXTRACT_A2M:
    case Op::TINSERT_A2M:
        return PIPE_FIX;
    case Op::TMOV_M2B:
    case Op::TMOV_M2L:
    case Op::TMOV_M2R:
    case Op::TEXTRACT_M2LR:
    case Op::TIMG2COL:
        return PIPE_MTE1;
    case Op::TMATMUL:
    case Op::TGEMV:
        return PIPE_M;
    case Op::SCALAR:
    case Op::TRESHAPE:
    case Op::TCI:
    case Op::SETFMATRIX:
    case Op::SET_IMG2COL_RPT:
    case Op::SET_IMG2COL_PADDING:
        return PIPE_S;
    case Op::OP_COUNT:
        return PIPE_ALL;
    default:
        return op < Op::OP_COUNT ? PIPE_V : PIPE_ALL;
    }
}

/* Does the signal leave the core (00-model, 11.1)? Target cpu runs both cores in one thread. */
constexpr bool is_cross_core(Op src, pipe_t dst) {
    const bool from_vec = src == Op::TMOV_V2M || src == Op::TEXTRACT_V2M;
    if (target == PTO_TARGET_A2A3)
        return (src == Op::TMOV_A2V && dst == PIPE_V) || (from_vec && dst == PIPE_MTE1);
    return target == PTO_TARGET_A5 && (src == Op::TMOV_A2V || from_vec);
}

constexpr int no_cross_core_id = 0xff;

} // namespace detail

/* Event ids of a pair of pipes, round robin. */
template <pipe_t Src, pipe_t Dst> class EventIdCounter {
  public:
    static event_t GetNextId() {
        const event_t id = next();
        next() = (id + 1) % EVENT_ID_MAX;
        return id;
    }
    static event_t PeekNextId() { return next(); }
    static void Reset() { next() = 0; }
    static void MarkFree(event_t) {}

  private:
    static event_t &next() {
        static thread_local event_t id = 0;
        return id;
    }
};

struct EventBaseTag {};
template <typename Derived> struct EventBase : EventBaseTag {};

template <Op SrcOp, Op DstOp, bool AutoToken = true, event_t EventID = EVENT_ID0>
class Event : public EventBase<Event<SrcOp, DstOp, AutoToken, EventID>> {
  public:
    static constexpr Op srcOp = SrcOp;
    static constexpr Op dstOp = DstOp;
    static constexpr pipe_t srcPipe = detail::pipe_of(SrcOp);
    static constexpr pipe_t dstPipe = detail::pipe_of(DstOp);
    static constexpr bool isSamePipe = srcPipe == dstPipe;
    static constexpr bool IsCrossCore = detail::is_cross_core(SrcOp, dstPipe);
    static_assert(IsCrossCore || (srcPipe != PIPE_ALL && dstPipe != PIPE_ALL),
                  "[PTO][SA] PTO-E0416 Event: both classes have a pipe");
    static_assert(
        !IsCrossCore || !AutoToken,
        "[PTO][SA] PTO-E0417 Event: between cores AutoToken is false, and the id an argument of Record, "
        "Init and Wait");
    static_assert(EventID >= 0 && EventID < EVENT_ID_MAX, "[PTO][SA] PTO-E0417 Event: EventID lies in 0..7");

    event_t token;

    Event() : token(new_token()) {}
    Event(RecordEvent record) : Event() { Record(record.here); }
    Event &operator=(RecordEvent record) {
        Record(record.here);
        return *this;
    }

    template <int CrossCoreId = detail::no_cross_core_id> void Init(detail::Here here = detail::Here::at()) {
        Record<CrossCoreId>(here);
    }
    template <int CrossCoreId = detail::no_cross_core_id>
    void Record(detail::Here here = detail::Here::at()) {
        check_id<CrossCoreId>();
        if constexpr (detail::auto_mode) {
            (void)here;
        } else if constexpr (IsCrossCore) {
            here.tell();
            detail::check(pto_agent_signal_on(static_cast<pto_pipe>(srcPipe), CrossCoreId), here, "Record");
        } else if constexpr (!isSamePipe) {
            set_flag(srcPipe, dstPipe, token, here);
        }
    }
    template <int CrossCoreId = detail::no_cross_core_id> void Wait(detail::Here here = detail::Here::at()) {
        check_id<CrossCoreId>();
        if constexpr (detail::auto_mode) {
            (void)here;
        } else if constexpr (IsCrossCore) {
            here.tell();
            detail::check(pto_agent_signal_wait_on(static_cast<pto_pipe>(dstPipe), CrossCoreId), here,
                          "Wait");
        } else if constexpr (isSamePipe) {
            pipe_barrier(srcPipe, here);
        } else {
            wait_flag(srcPipe, dstPipe, token, here);
        }
    }
    void InitAddr(std::uint64_t) {}

  private:
    static event_t new_token() {
        if constexpr (AutoToken && !detail::auto_mode)
            return EventIdCounter<srcPipe, dstPipe>::GetNextId();
        else
            return EventID;
    }
    template <int CrossCoreId> static constexpr void check_id() {
        static_assert(!IsCrossCore || (CrossCoreId >= 0 && CrossCoreId < 16),
                      "[PTO][SA] PTO-E0417 Event: between cores Record, Init and Wait name an id of 0..15");
    }
};

template <typename T> struct is_event : std::is_base_of<EventBaseTag, std::remove_cv_t<T>> {};
template <typename... T> constexpr bool all_events_v = (is_event<T>::value && ...);

namespace detail {
/* The result of an instruction, when all that follows its operands are events. */
template <bool> struct ResultIf {};
template <> struct ResultIf<true> { using type = RecordEvent; };
template <bool condition> using Result = typename ResultIf<condition>::type;
} // namespace detail

namespace detail {
/* Where a call stands, and the first of the events that it waits for. A parameter of this type before the
 * pack of the others is where the place of a call with events is caught: behind a pack there is no place for
 * a default argument. */
struct Caller {
    Here here;
    void *event = nullptr;
    void (*wait)(void *event, Here here) = nullptr;

    constexpr Caller() = default;
    template <typename T, std::enable_if_t<is_event<T>::value, int> = 0>
    Caller(T &first, Here at = Here::at())
        : here(at), event(&first), wait([](void *self, Here place) { static_cast<T *>(self)->Wait(place); }) {
    }
    static constexpr Caller at(Here here = Here::at()) {
        Caller caller;
        caller.here = here;
        return caller;
    }
};
/* The same where no other call form could take the argument: what is no event is told as that. */
struct AnyCaller : Caller {
    constexpr AnyCaller(const Caller &caller) : Caller(caller) {}
    template <typename T, std::enable_if_t<is_event<T>::value, int> = 0>
    AnyCaller(T &first, Here at = Here::at()) : Caller(first, at) {}
    template <
        typename T,
        std::enable_if_t<!is_event<T>::value && !std::is_base_of_v<Caller, std::remove_cv_t<T>>, int> = 0>
    AnyCaller(T &) {
        static_assert(is_event<T>::value,
                      "[PTO][SA] PTO-E0304 TSYNC: the arguments are events (Event<SrcOp, DstOp>)");
    }
};

/* Waits for the events in order. */
template <typename... Events> void wait_at(const Caller &caller, Events &...events) {
    static_assert(all_events_v<Events...>,
                  "[PTO][SA] PTO-E0304 TSYNC: the arguments are events (Event<SrcOp, DstOp>)");
    if (caller.wait)
        caller.wait(caller.event, caller.here);
    (events.Wait(caller.here), ...);
}
} // namespace detail

template <typename Event0 = void, typename... Events>
PTO_INST void WaitAllEvents(detail::AnyCaller caller, Events &...events) {
    detail::wait_at(caller, events...);
}
PTO_INST void WaitAllEvents() {}

/* Waits for the events in order. */
template <typename Event0 = void, typename... Events>
PTO_INST void TSYNC(detail::AnyCaller caller, Events &...events) {
    detail::wait_at(caller, events...);
}
PTO_INST void TSYNC() {}

/* A barrier of the pipe of an event class. */
template <Op op> PTO_INST void TSYNC(detail::Here here = detail::Here::at()) {
    constexpr pipe_t pipe = detail::pipe_of(op);
    static_assert(
        detail::target != PTO_TARGET_A5 || pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_ALL,
        "[PTO][SA] PTO-E0416 TSYNC<Op>: a5 has barriers of MTE2, MTE3 and ALL; its other pipes are in order");
    if constexpr (!detail::auto_mode)
        pipe_barrier(pipe, here);
}

template <pipe_t Src, pipe_t Dst>
PTO_INST void PtoSetWaitFlag(event_t setId = EVENT_ID0, event_t waitId = EVENT_ID0,
                             detail::Here here = detail::Here::at()) {
    if constexpr (!detail::auto_mode) {
        set_flag(Src, Dst, setId, here);
        wait_flag(Src, Dst, waitId, here);
    } else {
        (void)here;
        (void)setId;
        (void)waitId;
    }
}

/* All cores of the launch meet. */
template <SyncCoreType coreType = SyncCoreType::AIVOnly>
PTO_INST void SYNCALL(detail::Here here = detail::Here::at()) {
    if constexpr (!detail::auto_mode)
        detail::check(pto_agent_barrier(), here, "SYNCALL");
    else
        (void)here;
}
template <SyncAllMode mode, SyncCoreType coreType = SyncCoreType::AIVOnly, typename Workspace>
PTO_INST void SYNCALL(Workspace &, std::int32_t usedCores = 0, detail::Here here = detail::Here::at()) {
    static_assert(is_global_data_v<Workspace>,
                  "[PTO][SA] PTO-E0304 SYNCALL: the workspace is a GlobalTensor of int32");
    (void)usedCores;
    SYNCALL<coreType>(here);
}

PTO_NAMESPACE_END

#endif
