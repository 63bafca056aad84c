# SPDX-License-Identifier: Apache-2.0
"""The shapes that kernel_sweep.py times, by family: a line each, `INPUT STAGE | STAGE …`, which is its name as well.

INPUT is `1x64x56x56`, with `:int64` and the like if it is not float32. A stage is an ONNX operator and what it needs
besides the value before it, as kernel_models.py reads it:

    Conv 64 k3 s2 d2 g8 p0    channels of the result, window, step, dilation, groups, padding (default: half the
                              window); one number for each axis is k1x7. ConvTranspose, MaxPool, AveragePool likewise
    MatMul 768x3072           with a constant; `variable`: with an input; `transposed`: stored so
    Add 64x1x1                with an input of this shape; `constant`: with a constant

Sizes are those of networks, most with one image: 7, 14, 28 and 56 pixels of ResNets, 60x160 of segmentation, 77 and 197
tokens of CLIP and ViT, odd channels as pruning leaves them. A run takes from about 20 us to 20 ms at the roofline.
"""

FAMILIES = {
    # Most of a residual or inverted-residual network.
    "conv 1x1": """
1x3x224x224 Conv 17 k1
1x8x224x224 Conv 3 k1
1x17x112x112 Conv 40 k1
1x24x112x112 Conv 24 k1
1x24x60x160 Conv 144 k1
1x144x60x160 Conv 24 k1
1x40x56x56 Conv 88 k1
1x64x56x56 Conv 64 k1
1x64x56x56 Conv 256 k1
1x256x56x56 Conv 64 k1
1x256x56x56 Conv 128 k1
1x88x28x28 Conv 232 k1
1x232x28x28 Conv 88 k1
1x128x28x28 Conv 512 k1
1x512x28x28 Conv 128 k1
1x144x28x28 Conv 40 k1
1x40x28x28 Conv 240 k1
1x232x14x14 Conv 232 k1
1x80x14x14 Conv 480 k1
1x480x14x14 Conv 112 k1
1x1024x14x14 Conv 256 k1
1x512x14x14 Conv 17 k1
1x512x14x14 Conv 64 k1
1x672x7x7 Conv 192 k1
1x192x7x7 Conv 1152 k1
1x1152x7x7 Conv 320 k1
1x320x7x7 Conv 1280 k1
1x512x7x7 Conv 2048 k1
1x2048x7x7 Conv 512 k1
1x64x80x80 Conv 80 k1
1x256x20x20 Conv 255 k1
1x1024x13x13 Conv 125 k1
1x1x480x640 Conv 8 k1
1x32x240x320 Conv 1 k1
1x1152x1x1 Conv 2048 k1
4x64x28x28 Conv 88 k1
8x512x7x7 Conv 512 k1
""",
    "conv 3x3": """
1x1x224x224 Conv 64 k3
1x3x224x224 Conv 64 k3
1x3x240x320 Conv 17 k3
1x8x112x112 Conv 8 k3
1x8x112x112 Conv 24 k3
1x17x112x112 Conv 17 k3
1x24x112x112 Conv 24 k3
1x24x60x160 Conv 40 k3
1x40x56x56 Conv 40 k3
1x64x56x56 Conv 64 k3
1x64x112x112 Conv 64 k3
1x64x60x160 Conv 64 k3
1x88x28x28 Conv 88 k3
1x128x28x28 Conv 128 k3
1x144x28x28 Conv 144 k3
1x232x14x14 Conv 232 k3
1x256x14x14 Conv 256 k3
1x256x20x20 Conv 256 k3
1x512x7x7 Conv 512 k3
1x512x7x7 Conv 17 k3
1x512x14x14 Conv 24 k3
1x512x30x40 Conv 64 k3
1x256x56x56 Conv 64 k3
1x64x224x224 Conv 3 k3
1x32x240x320 Conv 1 k3
1x48x112x112 Conv 48 k3 p0
1x320x64x64 Conv 4 k3
1x320x32x32 Conv 320 k3
1x128x4x4 Conv 128 k3
1x144x13x13 Conv 88 k3
4x64x28x28 Conv 64 k3
8x128x7x7 Conv 128 k3
2x40x33x47 Conv 56 k3
""",
    "conv windows": """
1x40x56x56 Conv 40 k2
1x64x28x28 Conv 64 k4
1x24x56x56 Conv 40 k5
1x88x28x28 Conv 64 k5
1x17x56x56 Conv 17 k7
1x64x35x35 Conv 96 k5
1x3x112x112 Conv 24 k6
1x8x112x112 Conv 8 k7
1x8x60x160 Conv 24 k8 p3
1x64x14x14 Conv 64 k9
1x3x128x128 Conv 40 k9
1x64x33x33 Conv 3 k9
1x3x227x227 Conv 17 k10 p0
1x1x224x224 Conv 8 k11
1x17x28x28 Conv 24 k11
1x192x17x17 Conv 192 k1x7
1x192x17x17 Conv 192 k7x1
1x384x8x8 Conv 384 k1x3
1x384x8x8 Conv 384 k3x1
1x64x60x160 Conv 40 k1x5
1x24x32x320 Conv 64 k3x5
""",
    "conv steps": """
1x3x224x224 Conv 64 k7 s2
1x3x224x224 Conv 32 k3 s2
1x3x227x227 Conv 64 k11 s4 p2
1x3x224x224 Conv 96 k4 s4 p0
1x3x224x224 Conv 192 k16 s16 p0
1x3x320x320 Conv 24 k6 s2
1x1x480x640 Conv 8 k5 s2
1x3x240x320 Conv 40 k3 s3
1x3x224x224 Conv 144 k7 s4
1x24x112x112 Conv 64 k3 s2
1x64x56x56 Conv 128 k3 s2
1x64x60x160 Conv 88 k3 s2
1x128x56x56 Conv 128 k3 s2
1x256x28x28 Conv 256 k3 s2
1x512x14x14 Conv 512 k3 s2
1x88x28x28 Conv 144 k5 s2
1x256x56x56 Conv 512 k1 s2
1x512x28x28 Conv 1024 k1 s2
1x144x28x28 Conv 232 k2 s2 p0
1x96x56x56 Conv 192 k2 s2 p0
1x40x57x57 Conv 40 k4 s4 p0
1x64x56x56 Conv 64 k8 s8 p0
1x320x14x14 Conv 320 k2 s2 p0
1x17x84x84 Conv 40 k8 s4 p0
1x64x64x64 Conv 88 k3 s2x1
""",
    "conv dilated": """
1x24x60x160 Conv 24 k3 d2 p2
1x64x56x56 Conv 64 k3 d2 p2
1x64x60x80 Conv 64 k3 d4 p4
1x128x28x28 Conv 128 k3 d8 p8
1x256x33x33 Conv 256 k3 d6 p6
1x512x14x14 Conv 128 k3 d2 p2
1x512x28x28 Conv 64 k3 d12 p12
1x17x112x112 Conv 24 k5 d2 p4
1x88x28x28 Conv 88 k3 s2 d2 p2
1x40x56x56 Conv 40 k3x1 d2x1 p2x0
1x144x28x28 Conv 144 k3 d3 p3 g144
""",
    # Groups of 2 (AlexNet), 8, 16 channels a group (RegNet) and 4 (ResNeXt).
    "conv grouped": """
1x64x56x56 Conv 64 k3 g2
1x96x27x27 Conv 256 k5 g2
1x384x13x13 Conv 384 k3 g2
1x24x112x112 Conv 24 k3 g2
1x512x7x7 Conv 512 k3 g2
1x64x56x56 Conv 64 k3 g8
1x88x28x28 Conv 88 k3 g8
1x144x28x28 Conv 144 k3 g8
1x232x14x14 Conv 232 k3 g8
1x512x14x14 Conv 512 k3 g8
1x64x60x160 Conv 64 k3 g4
1x144x28x28 Conv 144 k3 g9
1x288x28x28 Conv 288 k3 g18
1x512x14x14 Conv 512 k3 g32
1x128x56x56 Conv 128 k3 g32
1x256x56x56 Conv 256 k3 s2 g32
1x1024x7x7 Conv 1024 k3 g32
1x232x56x56 Conv 232 k3 s2 g29
1x64x112x112 Conv 64 k3 s2 g4
1x24x112x112 Conv 48 k1 g2
1x240x28x28 Conv 240 k1 g3
1x512x28x28 Conv 512 k1 g8
1x64x14x14 Conv 144 k9 g8
1x34x56x56 Conv 34 k5 g2
1x40x56x56 Conv 80 k3 g40
""",
    "conv depthwise": """
1x32x112x112 Conv 32 k3 g32
1x40x112x112 Conv 40 k3 g40
1x64x112x112 Conv 64 k3 g64
1x24x120x160 Conv 24 k3 g24
1x17x112x112 Conv 17 k3 g17
1x96x112x112 Conv 96 k3 s2 g96
1x144x56x56 Conv 144 k3 g144
1x144x60x160 Conv 144 k3 g144
1x144x56x56 Conv 144 k5 s2 g144
1x88x56x56 Conv 88 k5 g88
1x232x28x28 Conv 232 k3 g232
1x240x28x28 Conv 240 k5 g240
1x240x28x28 Conv 240 k3 s2 g240
1x384x14x14 Conv 384 k3 g384
1x480x14x14 Conv 480 k5 g480
1x512x14x14 Conv 512 k3 g512
1x672x14x14 Conv 672 k5 s2 g672
1x1152x7x7 Conv 1152 k5 g1152
4x960x7x7 Conv 960 k3 g960
1x512x28x28 Conv 512 k2 g512
1x96x56x56 Conv 96 k7 g96
1x192x28x28 Conv 192 k7 g192
1x384x14x14 Conv 384 k7 g384
1x768x7x7 Conv 768 k7 g768
1x64x60x80 Conv 64 k9 g64
1x144x28x28 Conv 144 k11 g144
1x64x56x56 Conv 64 k1x11 g64
1x64x56x56 Conv 64 k11x1 g64
1x88x112x112 Conv 88 k3 s3 g88
1x64x112x112 Conv 64 k4 s4 g64 p0
1x17x56x56 Conv 51 k5 g17
4x88x28x28 Conv 88 k3 g88
""",
    "conv 1-d": """
1x80x3000 Conv 512 k3
1x512x3000 Conv 512 k3 s2
1x1x16000 Conv 64 k10 s5 p0
1x1x48000 Conv 17 k11 s4
1x512x1599 Conv 512 k3 s2 p0
1x512x799 Conv 512 k2 s2 p0
1x64x4000 Conv 64 k7
1x64x4000 Conv 64 k3 d4 p4
1x24x8000 Conv 40 k5
1x144x2000 Conv 144 k1
1x232x500 Conv 88 k11
1x512x249 Conv 512 k1
1x512x1500 Conv 512 k3 g8
1x512x1500 Conv 512 k3 g512
1x144x4000 Conv 144 k9 g144
1x256x997 Conv 256 k31 g256 p15
1x1x22050 Conv 8 k9
1x8x22050 Conv 1 k7
4x40x750 Conv 88 k5 s2
""",
    "conv 3-d": """
1x3x16x56x56 Conv 24 k3
1x3x8x112x112 Conv 64 k3x7x7 s1x2x2
1x1x32x64x64 Conv 8 k3
1x8x32x64x64 Conv 8 k3
1x17x16x28x28 Conv 24 k3
1x64x8x28x28 Conv 64 k1
1x64x8x28x28 Conv 64 k3
1x64x8x28x28 Conv 88 k3x1x1
1x64x8x28x28 Conv 88 k1x3x3
1x40x16x28x28 Conv 40 k3 g40
1x144x4x14x14 Conv 144 k3 g8
1x88x8x14x14 Conv 144 k3 s2
1x512x2x7x7 Conv 232 k3
1x24x8x30x40 Conv 24 k5x1x1
""",
    "conv transposed": """
1x512x7x7 ConvTranspose 232 k2 s2 p0
1x232x14x14 ConvTranspose 144 k2 s2 p0
1x128x28x28 ConvTranspose 64 k2 s2 p0
1x64x56x56 ConvTranspose 24 k2 s2 p0
1x256x14x14 ConvTranspose 256 k4 s2 p1
1x256x28x28 ConvTranspose 88 k4 s2 p1
1x64x60x80 ConvTranspose 40 k4 s2 p1
1x100x1x1 ConvTranspose 512 k4 p0
1x24x112x112 ConvTranspose 3 k4 s2 p1
1x64x56x56 ConvTranspose 64 k3
1x40x56x56 ConvTranspose 17 k3 s2 p1
1x88x28x28 ConvTranspose 64 k5 s2 p2
1x64x32x32 ConvTranspose 1 k9 s3 p3
1x64x28x28 ConvTranspose 8 k8 s4 p2
1x64x56x56 ConvTranspose 64 k4 s2 g64 p1
1x144x28x28 ConvTranspose 144 k3 s2 g8 p1
1x512x250 ConvTranspose 256 k16 s8 p4
1x64x4000 ConvTranspose 40 k4 s2 p1
1x64x4x14x14 ConvTranspose 40 k2 s2 p0
""",
    # Layouts between neighbours: only here a convolution gets them from the one before.
    "chain": """
1x24x56x56 Conv 144 k1 | Relu | Conv 144 k3 g144 | Relu | Conv 24 k1
1x40x28x28 Conv 240 k1 | HardSwish | Conv 240 k5 g240 | HardSwish | Conv 40 k1
1x32x112x112 Conv 32 k3 g32 | Clip 0 6 | Conv 64 k1 | Clip 0 6 | Conv 64 k3 s2 g64 | Clip 0 6 | Conv 128 k1
1x80x14x14 Conv 480 k1 | Swish | Conv 480 k3 g480 | Swish | Conv 112 k1
1x192x7x7 Conv 1152 k1 | Swish | Conv 1152 k5 g1152 | Swish | Conv 192 k1
1x17x56x56 Conv 88 k1 | Relu | Conv 88 k3 g88 | Relu | Conv 17 k1
1x88x28x28 Conv 232 k1 | Relu | Conv 232 k3 g29 | Relu | Conv 88 k1
1x256x56x56 Conv 64 k1 | Relu | Conv 64 k3 | Relu | Conv 256 k1
1x512x28x28 Conv 128 k1 | Relu | Conv 128 k3 | Relu | Conv 512 k1
1x1024x14x14 Conv 256 k1 | Relu | Conv 256 k3 | Relu | Conv 1024 k1
1x2048x7x7 Conv 512 k1 | Relu | Conv 512 k3 | Relu | Conv 2048 k1
1x3x224x224 Conv 64 k7 s2 | Relu | MaxPool k3 s2 | Conv 64 k1
1x3x112x112 Conv 64 k3 | Relu | Conv 64 k3 | Relu | MaxPool k2 s2 p0
1x64x56x56 Conv 88 k3 | Relu | AveragePool k2 s2 p0 | Conv 144 k3
1x24x60x160 Conv 40 k3 | Relu | MaxPool k3 s1 | Conv 40 k3
1x144x28x28 Conv 232 k3 | Relu | GlobalAveragePool | Conv 512 k1
1x64x28x28 Conv 64 k3 | Resize nearest 2 | Conv 64 k3
1x88x30x40 Conv 64 k1 | Resize linear 2 | Conv 24 k3
1x96x56x56 Conv 96 k7 g96 | Transpose 0,2,3,1 | LayerNormalization | MatMul 96x384 | Gelu | MatMul 384x96
1x240x28x28 Conv 240 k1 g3 | ChannelShuffle 3 | Conv 240 k3 g240
1x64x56x56 Conv 64 k3 | BatchNormalization | Relu | Conv 64 k3 | BatchNormalization
1x128x32x32 Conv 128 k3 | GroupNorm 32 | Swish | Conv 128 k3
1x64x32x32 Conv 256 k3 | DepthToSpace 2 | Conv 64 k3
""",
    "matmul": """
7x768 MatMul 768x768
49x512 MatMul 512x512
49x384 MatMul 384x1152
49x96 MatMul 96x384
77x512 MatMul 512x512
77x768 MatMul 768x3072
77x3072 MatMul 3072x768
128x768 MatMul 768x768
128x3072 MatMul 3072x768
197x192 MatMul 192x576
197x384 MatMul 384x1536
197x768 MatMul 768x768
197x768 MatMul 768x2304
197x768 MatMul 768x3072
197x3072 MatMul 3072x768
257x1024 MatMul 1024x1024
256x1024 MatMul 1024x1000
64x1024 MatMul 1024x4096
64x2048 MatMul 2048x1000
3136x96 MatMul 96x288
3136x96 MatMul 96x384
784x192 MatMul 192x768
1500x384 MatMul 384x384
16x1280 MatMul 1280x1000
9x232 MatMul 232x4095
1023x88 MatMul 88x17
4096x24 MatMul 24x8
333x777 MatMul 777x111
8x197x384 MatMul 384x384
1x1024x320 MatMul 320x2560
20x256 MatMul 256x10001
""",
    "matmul one row": """
1x768 MatMul 768x3072
1x3072 MatMul 3072x768
1x1024 MatMul 1024x1000
1x2048 MatMul 2048x1000
1x512 MatMul 512x8000
1x4096 MatMul 4096x1000
1x1280 Gemm 1280x1000 transposed
1x2048 Gemm 2048x1000 transposed
1x768 MatMul 768x768 variable
1x1x1024 MatMul 1024x2816
2x768 MatMul 768x2304
3072x1024 MatMul 1024x1
""",
    "matmul variable": """
12x197x64 MatMul 12x64x197 variable
12x197x197 MatMul 12x197x64 variable
12x197x64 MatMul 12x64x197 variable transposed
12x77x64 MatMul 12x64x77 variable transposed
12x77x77 MatMul 12x77x64 variable
12x128x64 MatMul 12x64x128 variable transposed
12x128x128 MatMul 12x128x64 variable
8x1024x40 MatMul 8x40x1024 variable transposed
8x1024x1024 MatMul 8x1024x40 variable
8x1024x40 MatMul 8x40x77 variable transposed
8x1024x77 MatMul 8x77x40 variable
192x49x32 MatMul 192x32x49 variable transposed
192x49x49 MatMul 192x49x32 variable
16x1x64 MatMul 16x64x1024 variable transposed
16x1x1024 MatMul 16x1024x64 variable
6x197x64 MatMul 6x64x197 variable
4x333x33 MatMul 4x33x333 variable
197x768 MatMul 768x768 variable
77x1024 MatMul 1024x1024 variable transposed
512x512 MatMul 512x512 variable
513x257 MatMul 257x129 variable
49x7x768 MatMul 49x768x7 variable
""",
    "matmul transposed": """
197x768 Gemm 768x768 transposed
197x768 Gemm 768x3072 transposed
77x3072 Gemm 3072x768 transposed
49x512 Gemm 512x2048 transposed
128x768 MatMul 768x768 variable transposed
64x88 Gemm 88x1024 variable transposed
7x1024 Gemm 1024x3072 variable transposed
197x197 Gemm 197x197 variable transposed
1000x144 Gemm 144x232 variable transposed
""",
    # Layers of transformers: tokens of one step, of a short and of a long text.
    "matmul tokens": """
1x768 MatMul 768x768
1x768 MatMul 768x50257
1x1024 MatMul 1024x4096
1x4096 MatMul 4096x4096
8x768 MatMul 768x768
8x768 MatMul 768x3072
8x1024 MatMul 1024x4096
32x768 MatMul 768x2304
32x768 MatMul 768x3072
32x3072 MatMul 3072x768
32x1024 MatMul 1024x1024
128x512 MatMul 512x512
128x768 MatMul 768x2304
128x768 MatMul 768x3072
128x1024 MatMul 1024x4096
512x512 MatMul 512x2048
512x768 MatMul 768x3072
512x3072 MatMul 3072x768
512x1024 MatMul 1024x1024
""",
    # Keys of windows, texts, images and speech; heads of 32 to 128. A mask is added as exporters do for causal text. Then
    # one query against a cache of keys.
    "attention": """
64x49x32 MatMul 64x32x49 variable transposed | Softmax -1 | MatMul 64x49x32 variable
16x128x64 MatMul 16x64x128 variable transposed | Softmax -1 | MatMul 16x128x64 variable
12x128x64 MatMul 12x64x128 variable transposed | Add 1x128x128 | Softmax -1 | MatMul 12x128x64 variable
12x197x64 MatMul 12x64x197 variable transposed | Softmax -1 | MatMul 12x197x64 variable
8x512x64 MatMul 8x64x512 variable transposed | Softmax -1 | MatMul 8x512x64 variable
8x512x64 MatMul 8x64x512 variable transposed | Add 1x512x512 | Softmax -1 | MatMul 8x512x64 variable
8x512x128 MatMul 8x128x512 variable transposed | Softmax -1 | MatMul 8x512x128 variable
4x1024x32 MatMul 4x32x1024 variable transposed | Softmax -1 | MatMul 4x1024x32 variable
1x1500x64 MatMul 1x64x1500 variable transposed | Softmax -1 | MatMul 1x1500x64 variable
6x1500x64 MatMul 6x64x1500 variable transposed | Softmax -1 | MatMul 6x1500x64 variable
1x4096x64 MatMul 1x64x4096 variable transposed | Softmax -1 | MatMul 1x4096x64 variable
12x1x64 MatMul 12x64x128 variable transposed | Softmax -1 | MatMul 12x128x64 variable
12x1x64 MatMul 12x64x1024 variable transposed | Softmax -1 | MatMul 12x1024x64 variable
16x1x128 MatMul 16x128x4096 variable transposed | Softmax -1 | MatMul 16x4096x128 variable
""",
    "pool": """
1x64x112x112 MaxPool k3 s2
1x64x112x112 MaxPool k2 s2 p0
1x64x224x224 MaxPool k2 s2 p0
1x96x55x55 MaxPool k3 s2 p0
1x17x225x225 MaxPool k3 s2 p0
1x192x56x56 MaxPool k3 s1
1x480x28x28 MaxPool k3 s1
1x256x20x20 MaxPool k5 s1
1x512x13x13 MaxPool k13 s1
1x144x60x160 MaxPool k4 s4 p0
1x64x112x112 AveragePool k3 s2
1x192x35x35 AveragePool k3 s1
1x288x35x35 AveragePool k3 s1
1x768x17x17 AveragePool k3 s1
1x256x56x56 AveragePool k2 s2 p0
1x128x28x28 AveragePool k7 s1
1x64x60x160 AveragePool k1x2 s1x2 p0
1x2048x14x14 GlobalAveragePool
1x1280x28x28 GlobalAveragePool
1x512x28x28 GlobalMaxPool
8x2048x7x7 GlobalAveragePool
1x64x16000 MaxPool k3 s2
1x64x16000 AveragePool k4 s4 p0
1x64x8x56x56 MaxPool k1x3x3 s1x2x2
1x64x16x28x28 AveragePool k2 s2 p0
""",
    "reduce": """
1x512x28x28 ReduceMean 2,3
1x144x112x112 ReduceMean 2,3
1x144x112x112 ReduceMean 1
1x64x112x112 ReduceMax 1
1x64x112x112 ReduceSum 0,2,3
1x64x60x160 ReduceMean 3
1x64x60x160 ReduceMean 2
4x197x768 ReduceMean -1
4x197x768 ReduceMean 1
1x1024x768 ReduceMax -1
1x1024x768 ReduceSumSquare -1
12x197x197 ReduceSum -1
12x197x197 ReduceSum -2
1x197x3072 ReduceL2 -1
30000x17 ReduceMean -1
100000x7 ReduceMax -1
700000 ReduceSum 0
1x21x240x320 ArgMax 1
128x8000 ArgMax 1
64x10001 CumSum 1
8x1000x80 ReduceMax 2
""",
    "normalize": """
1x197x768 LayerNormalization
4x128x768 LayerNormalization
4x77x1024 LayerNormalization
1x1024x320 LayerNormalization
3136x96 LayerNormalization
784x192 LayerNormalization
1x1500x384 LayerNormalization
1x49x3072 LayerNormalization
1x4096x40 LayerNormalization
1x197x768 LayerNormParts
4x128x768 LayerNormParts
1x512x1024 RmsNormParts
4x77x768 RmsNormParts
1x64x112x112 InstanceNormalization
1x88x60x160 InstanceNormalization
4x512x14x14 InstanceNormalization
1x24x120x160 InstanceNormalization
1x320x64x64 GroupNorm 32
1x128x56x56 GroupNorm 32
1x512x28x28 GroupNorm 32
1x40x60x80 GroupNorm 8
1x64x112x112 BatchNormalization
1x256x56x56 BatchNormalization
1x88x60x160 BatchNormalization | Relu
8x512x14x14 BatchNormalization
1x197x768 LpNormalization
""",
    "softmax": """
12x197x197 Softmax -1
12x77x77 Softmax -1
12x128x128 Softmax -1
8x1024x77 Softmax -1
8x1024x1024 Softmax -1
192x49x49 Softmax -1
16x16x1024 Softmax -1
128x10001 Softmax -1
197x1000 LogSoftmax -1
1x21x120x160 Softmax 1
1x17x60x80 Softmax 1
12x197x197 Mul constant 1 | Add 1x1x197 | Softmax -1
""",
    "movement": """
1x197x12x64 Transpose 0,2,1,3
4x128x12x64 Transpose 0,2,1,3
4x12x128x64 Transpose 0,2,3,1
12x197x64 Transpose 0,2,1
1x64x112x112 Transpose 0,2,3,1
1x112x112x64 Transpose 0,3,1,2
1x3x480x640 Transpose 0,2,3,1
1x480x640x3 Transpose 0,3,1,2
1024x1024 Transpose 1,0
777x1333 Transpose 1,0
1x88x60x160 Transpose 3,0,1,2
1x56x56x96 Reshape 1,8,7,8,7,96 | Transpose 0,1,3,2,4,5
1x28x28x192 Reshape 1,4,7,4,7,192 | Transpose 0,1,3,2,4,5 | Reshape 16,49,192
1x240x56x56 ChannelShuffle 3
1x116x60x80 ChannelShuffle 2
1x64x56x56 Concat 1 1x64x56x56
1x256x28x28 Concat 1 1x88x28x28
1x256x40x40 Concat 1 1x512x40x40
1x17x112x112 Concat 1 1x24x112x112
1x196x768 Concat 1 1x1x768
1x100x60x80 Concat 3 1x100x60x77
1x197x2304 Split -1 3
1x144x56x56 Split 1 2
1x512x28x28 Split 1 8
1x64x120x160 Slice 2 0:120:2
1x64x112x112 Slice 3 0:112:2
1x3x480x640 Slice 3 1:640:2
1x144x112x112 Slice 1 17:105:1
1x64x113x113 Slice 2 1:113:1
1x197x768 Slice 1 1:197:1 | Neg
1x64x112x112 Pad 0,0,1,1
1x64x112x112 Pad 0,0,3,3 reflect
1x24x120x160 Pad 0,0,2,2 edge
1x88x56x57 Pad 0,8,0,0
30522x768 Gather 0 512
1000x64 Gather 0 20000
49408x512 Gather 0 4x77
1x256x768 Gather 1 197
1x64x112x112 Gather 3 56
1x64x56x56 Resize nearest 2
1x256x20x20 Resize nearest 2
1x24x60x80 Resize linear 2
1x64x28x28 Resize linear 4
1x21x33x33 Resize linear 8
1x3x240x320 Resize cubic 2
1x128x56x56 DepthToSpace 2
1x27x112x112 DepthToSpace 3
1x64x112x112 SpaceToDepth 2
1x12x240x320 SpaceToDepth 2
1x8x1x128x64 Expand 1x8x4x128x64
1x64x1x1 Expand 1x64x112x112
1x197x384 Tile 4,1,1
""",
    "elementwise": """
1x64x112x112 Relu
1x64x224x224 Relu
1x144x112x112 Clip 0 6
1x64x112x112 LeakyRelu
1x64x112x112 PRelu 64x1x1
1x64x112x112 Add 1x64x112x112
1x256x56x56 Add 1x256x56x56 | Relu
8x512x28x28 Add 8x512x28x28
1x197x768 Add 1x197x768
1x197x3072 Add constant 3072
1x64x112x112 Mul 1x64x1x1
1x144x112x112 Mul 1x144x1x1
1x144x60x160 Mul 1x1x60x160
1x64x112x112 Mul constant 64x1x1 | Add constant 64x1x1
1x197x768 Mul 1x197x1
12x197x197 Add 1x1x197
197x1x64 Add 197x64
1024x1 Sub 1x1024
1x240x28x28 Sigmoid | Mul 1x240x28x28
1x197x3072 Gelu
1x128x3072 GeluParts
1x77x3072 GeluTanhParts
1x77x4096 Mul 1x77x4096 | Sigmoid
1x64x112x112 Sigmoid
1x144x112x112 HardSwish
1x64x112x112 HardSigmoid
1x144x56x56 Swish
1x88x60x160 Tanh
1x64x112x112 Erf
1x64x112x112 Exp
1x64x112x112 Log
1x64x112x112 Softplus
1x64x112x112 Sqrt
1x64x112x112 Elu
1x64x56x56 Mish
1x1024x64 Sin
1x197x768 Div 1x197x1
12x197x197 Where 1x1x197x197
1x64x112x112 Where 1x1x112x112
1x64x224x224 Cast float16
1x64x112x112:float16 Cast float32
1x3x480x640:uint8 Cast float32
1x3x480x640 Cast uint8
512x1024:int64 Cast float32
512x1024 Cast int64
512x1024:int64 Add 512x1024
512x1024 Greater 512x1024
1x3x480x640:uint8 Cast float32 | Mul constant 3x1x1 | Add constant 3x1x1
1x64x57x113 Floor
""",
    "recurrent": """
25x1x80 LSTM 128
50x1x256 LSTM 256
77x1x128 LSTM 64 bidirectional
10x1x512 LSTM 512
100x4x88 LSTM 144
16x8x232 LSTM 256 bidirectional
25x1x80 GRU 128
50x1x256 GRU 256
77x1x128 GRU 64 bidirectional
10x1x512 GRU 512
64x4x64 GRU 88
300x1x40 GRU 24
""",
}


def shapes():
    """(family, line) of all."""
    return [(family, line) for family, lines in FAMILIES.items() for line in lines.split("\n") if line]
