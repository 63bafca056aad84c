// SPDX-License-Identifier: Apache-2.0
//
// A graph of labelled boxes as a picture in the page: laid out in layers, and a long one in several columns side by side.
#pragma once

#include "graph/layered_layout.h"
#include "report/html.h"

namespace lathe::report {

struct PictureBox {
    std::string title, subtitle; // in the box, shortened
    std::string tooltip;
    std::string link; // empty: none
    std::string kind; // a class of the style: "input", "node", "failed"
    double heat = 0;  // 0 … 1: how strongly it is coloured
};

struct Picture {
    std::vector<PictureBox> boxes;
    std::vector<graph::LayeredGraph::Arrow> arrows;
};

void writePicture(Html& html, const Picture& picture);

} // namespace lathe::report
