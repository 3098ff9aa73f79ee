#include <pto/pto-inst.hpp>
using namespace pto;
int main(int argc, char **) {
    Tile<TileType::Vec, float, 16, 16> t;
    if (argc == 1)
        TASSIGN(t, 512 * 1024 - 1024);
    TASSIGN(t, 512 * 1024 - 512 + (argc > 2));
    return 0;
}
