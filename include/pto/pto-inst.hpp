/* SPDX-License-Identifier: Apache-2.0 */
/* PTO kernels in C++: tiles, tensors, every instruction, flags and events, and stand-ins for the host
 * runtime.
 *
 *     #include <pto/pto-inst.hpp>
 *     using namespace pto;
 *     Tile<TileType::Vec, float, 16, 16> x, out;
 *     TRELU(out, x);
 *
 * Header-only over libpto. The target is a2a3 or a5 with -D__NPU_ARCH__=2201 or 3510, else cpu, which is
 * permissive. A call that breaks a rule is refused by the compiler where the types tell, else it throws
 * pto::Error, whose what() names the operand, what was found and what is allowed. */
#ifndef PTO_PTO_INST_HPP
#define PTO_PTO_INST_HPP

#include <pto/common/arch_macro.hpp>
#include <pto/common/constants.hpp>
#include <pto/common/debug.h>
#include <pto/common/type.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/conv_tile.hpp>
#include <pto/common/utils.hpp>
#include <pto/common/memory.hpp>
#include <pto/common/event.hpp>
#include <pto/common/fifo.hpp>
#include <pto/common/fixpipe.hpp>
#include <pto/cpu/tile_offsets.hpp>
#include <pto/cpu/MXTypes.hpp>
#include <pto/cpu/cpu_sim.hpp>
#include <pto/cpu/host_runtime.hpp>
#include <pto/comm/comm_types.hpp>
#include <pto/comm/pto_comm_instr_impl.hpp>
#include <pto/common/pto_instr.hpp>

#endif
