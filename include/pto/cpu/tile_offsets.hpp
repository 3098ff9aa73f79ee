/* SPDX-License-Identifier: Apache-2.0 */
/* Element addresses of tiles (00-model, 4). */
#ifndef PTO_CPU_TILE_OFFSETS_HPP
#define PTO_CPU_TILE_OFFSETS_HPP

#include <pto/common/utils.hpp>

PTO_NAMESPACE_BEGIN

/* Elements from the base of the tile to (row, col). */
template <typename TileT> constexpr std::size_t GetTileOffset(int row, int col) {
    return static_cast<std::size_t>(TileT::offset(row, col));
}

PTO_NAMESPACE_END

#endif
