// SPDX-License-Identifier: MIT
// Numbers as text, by the rules of the reports: digits end where the error begins, and what was
// never sampled is below a bound, not zero.

/** How many decimals a number with that error has: up to the error's first digit. */
function decimalsOf(error) {
    const first = Math.floor(Math.log10(error));
    return -(Math.round(error / 10 ** first) > 9 ? first + 1 : first);
}

function rounded(number, decimals) {
    if (decimals >= 0)
        return number.toFixed(decimals);
    const unit = 10 ** -decimals;
    return (Math.round(number / unit) * unit).toFixed(0);
}

function bound(number, decimals) {
    const unit = 10 ** -decimals;
    return `<${(Math.ceil(number / unit - 1e-9) * unit).toFixed(decimals)}`;
}

const grouped = new Intl.NumberFormat("en-US");
export const whole = (number) => grouped.format(number);

/** A time or a share as { text, error }, in the scale's unit. `none`: a time without a sample is
    less than this. */
export function figure(time, error, scale, none = 0) {
    const value = time * scale.factor, spread = (error ?? 0) * scale.factor;
    if (!(value > 0))
        return none > 0 ?
            { text: bound(Math.min(none * scale.factor, scale.name === "%" ? 100 : Infinity),
                          scale.finest), error: "" } : { text: "0", error: "" };
    if (!(spread > 0) || scale.name === "samples")
        return { text: value.toFixed(scale.decimals), error: "" };
    const decimals = Math.min(decimalsOf(spread), scale.finest);
    return { text: rounded(value, decimals),
             error: rounded(Math.max(spread, 10 ** -decimals), decimals) };
}

const PERCENT = { name: "%", factor: 1, decimals: 2, finest: 2 };
/** A share that is in per cent already. */
export const percent = (share, error) => figure(share, error, PERCENT);

/** The share that `count` of `total` samples is, in per cent, and its standard error, as
    analysis_share_error() has it. */
export function shareOfSamples(count, total) {
    const share = count / total, few = (count + 1) / (total + 2);
    const error = Math.max(Math.sqrt(share * (1 - share) / total),
        Math.hypot(Math.sqrt(few * (1 - few) / (total + 3)), few - share));
    return { share: 100 * share, error: count < total ? 100 * error : 0 };
}

/** "×1.25", and its error. */
export function times(number, error) {
    const decimals = error > 0 ? Math.min(Math.max(decimalsOf(error), 0), 4) : 3;
    return { text: `×${number.toFixed(decimals)}`,
        error: error > 0 ? error.toFixed(decimals) : "" };
}

/** "12.3 ms": three digits and the unit that suits them. */
export function duration(seconds) {
    const units = ["s", "ms", "µs", "ns"];
    let unit = 0;
    for (; unit + 1 < units.length && seconds < 0.9995; unit++)
        seconds *= 1e3;
    return `${seconds.toFixed(seconds < 9.995 ? 2 : seconds < 99.95 ? 1 : 0)} ${units[unit]}`;
}

/** "+1.2", with a true minus. */
export function signed(number, error) {
    const decimals = error > 0 ? Math.min(Math.max(decimalsOf(error), 0), 2) : 2;
    const text = Math.abs(number).toFixed(decimals);
    return Number(text) === 0 ? "0" : (number < 0 ? "−" : "+") + text;
}

/** How hot a share is, 0 to 1: the square root, so that small ones are seen. */
export const heat = (share) => Math.sqrt(Math.min(Math.max(share / 100, 0), 1));
