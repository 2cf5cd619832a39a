#!/bin/sh
# A video encoder, half of whose time goes into assembly without a description that aligns its frames.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || { skip '' "prof knows such frames on x86-64 alone"; exit 0; }
need x265 x265
need python3 python3
# A texture that moves over another.
cat >video.py <<'END'
import random, sys
w, h, r, out = 320, 192, random.Random(1), sys.stdout.buffer
def texture(size): return [bytes(b for i in range(2 * w // size) for b in [r.randrange(30, 220)] * size) for j in range(2 * h // size) for k in range(size)]
far, near, grey = texture(4), texture(8), bytes([128]) * (w * h // 2)
out.write(b'YUV4MPEG2 W%d H%d F25:1 C420\n' % (w, h))
for t in range(120):
    out.write(b'FRAME\n')
    for y in range(h):
        line = far[y + t % 60][t:t + w]
        out.write(line[:80] + near[y + 40 + t % 100][t * 2:t * 2 + 160] + line[240:] if 50 < y < 150 else line)
    out.write(grey)
END
python3 video.py >video.y4m
for preset in ultrafast medium; do
	"$PROF" -v -F 999 --stats $preset.json -o $preset.folded -- x265 --log-level error --preset $preset video.y4m -o out.265 2>err
	stacks=$(field $preset.json stacks) bare=$(field $preset.json stacks_no_unwind_info)
	export show=err
	check $preset-samples "$stacks" -ge 100
	check $preset-described $((bare * 200)) -le "$stacks"
	check $preset-complete $(($(field $preset.json stacks_complete) * 100)) -ge $((stacks * 97))
	# Such code calls no other: it is the innermost function of the program.
	check $preset-assembly "$(samples $preset.folded ';x265::.*;[[]libx265[.]so[^;]*$')" -ge $((stacks / 10))
done
exit $failed
