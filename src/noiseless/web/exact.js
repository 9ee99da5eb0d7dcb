// Numbers as people read them. An interval's ends are rounded outwards, costs up, what is left down: exactly,
// with whole numbers of any length, so that what is read is never better than the truth.

const DIGITS = 6;

/** A rational from "p/q" or a decimal text, or from a double, which is one. Null if it is none. */
export function rational(number) {
  if (typeof number === "number") return Number.isFinite(number) ? ofDouble(number) : null;
  const text = String(number).trim();
  const fraction = /^([+-]?\d+)\/(\d+)$/.exec(text);
  if (fraction) return BigInt(fraction[2]) === 0n ? null : { top: BigInt(fraction[1]), bottom: BigInt(fraction[2]) };
  const decimal = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!decimal || !(decimal[2] + decimal[3])) return null;
  const shift = Number(decimal[4] || 0) - decimal[3].length;
  const digits = BigInt(decimal[2] + decimal[3]) * (decimal[1] === "-" ? -1n : 1n);
  return shift >= 0 ? { top: digits * 10n ** BigInt(shift), bottom: 1n } : { top: digits, bottom: 10n ** BigInt(-shift) };
}

function ofDouble(number) {
  let [scaled, bottom] = [number, 1n];
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    bottom *= 2n;
  }
  return { top: BigInt(scaled), bottom };
}

function divide(top, bottom, direction) {
  const below = top / bottom - (top % bottom < 0n ? 1n : 0n);
  const rest = top - below * bottom;
  if (rest === 0n || direction < 0) return below;
  if (direction > 0) return below + 1n;
  return 2n * rest >= bottom ? below + 1n : below;
}

/** With this many places after the point; direction -1 is down, 0 to the nearest, 1 up. */
export function fixed({ top, bottom }, places, direction) {
  const scale = 10n ** BigInt(places);
  const digits = divide(top * scale, bottom, direction);
  const sign = digits < 0n ? "\u2212" : "";
  const text = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
  const whole = text.slice(0, text.length - places).replace(/\B(?=(\d{3})+$)/g, ",");
  return places ? `${sign}${whole}.${text.slice(-places)}` : sign + whole;
}

const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** With six digits that matter, all digits before the point, and no zeros at the end. */
export function readable(number, direction = 0) {
  if (number === "inf" || number === Infinity) return "\u221e";
  if (number === "-inf" || number === -Infinity) return "\u2212\u221e";
  const exact = rational(number);
  if (exact === null) return String(number);
  if (exact.top === 0n) return "0";
  const size = exact.top < 0n ? -exact.top : exact.top;
  const whole = size / exact.bottom;
  if (whole > 0n) return trimmed(fixed(exact, Math.max(0, DIGITS - String(whole).length), direction));
  const zeros = String(exact.bottom / size).length - 1;
  if (zeros < DIGITS) return trimmed(fixed(exact, DIGITS + zeros, direction));
  const scaled = { top: exact.top * 10n ** BigInt(zeros + 1), bottom: exact.bottom };
  return `${trimmed(fixed(scaled, DIGITS - 1, direction))}e\u2212${zeros + 1}`;
}

/** Bits with two places: what is spent or asked rounds up, what is left rounds down. */
export function bits(number, direction = 1) {
  if (number === null || number === undefined) return "without end";
  const exact = rational(number);
  if (exact === null) return `${number} bits`;
  const text = fixed(exact, 2, direction).replace(/\.?0+$/, "");
  return `${text} ${text === "1" ? "bit" : "bits"}`;
}

/** Bits whose exact value is known as a text: a rational is rounded once, log2(...) stays as it is. */
export function exactBits(number, exact, direction = 1) {
  if (number === null || number === undefined) return "without end";
  return exact && rational(exact) ? bits(exact, direction) : bits(number, direction);
}

/** A formula such as log2(3) + 1/2 as people write it. */
export function formula(exact) {
  return `${exact.replace(/log2\((\d+)\)/g, "log\u2082\u2009$1")} ${exact === "1" ? "bit" : "bits"}`;
}

/** What is left. */
export function bitsLeft(number) {
  return bits(number, -1);
}

/** A whole number with commas between thousands, as in every report. */
export function count(number) {
  return fixed(rational(number) || { top: 0n, bottom: 1n }, 0, 0);
}

/** One or many of something. */
export function many(number, one, more = `${one}s`) {
  return `${count(number)} ${Number(number) === 1 ? one : more}`;
}

/** A moment, in the reader's own time zone. */
export function moment(text) {
  if (!text) return "never";
  const when = new Date(text);
  if (Number.isNaN(when.getTime())) return String(text);
  return when.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
