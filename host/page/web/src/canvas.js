// SPDX-License-Identifier: MIT
// What the views that draw on a canvas share.
import { useLayoutEffect } from "preact/hooks";

/** Makes a canvas so large, in pixels of the page; returns its context, which draws in these. */
export function sized(canvas, width, height) {
    const ratio = devicePixelRatio || 1;
    const [across, down] = [width, height].map((pixels) => Math.round(pixels * ratio));
    if (canvas.width !== across || canvas.height !== down) {
        canvas.width = across;
        canvas.height = down;
        canvas.style.width = `${width}px`;
        canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
}

/** Draws now, and whenever the box or the looks of the page change. */
export function useDrawing(box, draw) {
    useLayoutEffect(() => {
        const looks = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));
        const watch = new ResizeObserver(draw);
        draw();
        watch.observe(box.current);
        box.current.addEventListener("scroll", draw, { passive: true });
        looks.forEach((look) => look.addEventListener("change", draw));
        return () => {
            watch.disconnect();
            box.current?.removeEventListener("scroll", draw);
            looks.forEach((look) => look.removeEventListener("change", draw));
        };
    });
}
