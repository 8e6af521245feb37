const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const CHANCE_NAMED_MIN = 0.01;

/** Keeps what is made for a language: a formatter takes longer to make than to use. */
function byLanguage<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const made = new Map<string, Format>();
  return (locale) => {
    const format = made.get(locale) ?? make(locale);
    made.set(locale, format);
    return format;
  };
}

const distances = byLanguage(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "short" }),
);
const instants = byLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hour12: false,
      timeZone: "UTC",
    }),
);
const percents = byLanguage((locale) => new Intl.NumberFormat(locale, { style: "percent" }));

/** Says how long ago an instant was, up to a week; then its day. */
export function relative(instant: Date, now: Date, locale: string): string {
  const seconds = (instant.getTime() - now.getTime()) / 1000;
  const distance = Math.abs(seconds);
  if (distance >= WEEK) return day(instant, now, locale);
  const format = distances(locale);
  if (distance < MINUTE) return format.format(Math.round(seconds), "second");
  if (distance < HOUR) return format.format(Math.round(seconds / MINUTE), "minute");
  if (distance < DAY) return format.format(Math.round(seconds / HOUR), "hour");
  return format.format(Math.round(seconds / DAY), "day");
}

function day(instant: Date, now: Date, locale: string): string {
  const isThisYear = instant.getUTCFullYear() === now.getUTCFullYear();
  return instant.toLocaleDateString(locale, {
    day: "numeric",
    month: "long",
    timeZone: "UTC",
    ...(isThisYear ? {} : { year: "numeric" }),
  });
}

/** Returns the language that the document is in. */
export function shownLocale(): string {
  return globalThis.document?.documentElement.lang || "en-GB";
}

/** Says the day of an instant, as UTC counts it. */
export function dayOf(instant: string, locale = shownLocale()): string {
  return new Date(instant).toLocaleDateString(locale, { dateStyle: "long", timeZone: "UTC" });
}

/** Says a chance in whole per cent; what is below one per cent is said to be below it. */
export function chance(
  probability: number,
  locale = shownLocale(),
): { isBelow: boolean; said: string } {
  const isBelow = probability < CHANCE_NAMED_MIN;
  const value = isBelow ? CHANCE_NAMED_MIN : probability;
  return { isBelow, said: percents(locale).format(value) };
}

/** Says an instant to the second, in UTC. */
export function exact(instant: Date, locale: string): string {
  return `${instants(locale).format(instant)} UTC`;
}

/** Writes a number as the language does. */
export function count(value: number, locale: string): string {
  return value.toLocaleString(locale);
}

/** Says a time that something takes. */
export function duration(seconds: number, locale: string): string {
  const [value, unit] =
    seconds < 2 * MINUTE
      ? [Math.round(seconds), "second"]
      : seconds < 2 * HOUR
        ? [Math.round(seconds / MINUTE), "minute"]
        : [Math.round(seconds / HOUR), "hour"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(value);
}

export type Risk = "low" | "medium" | "high";

/** Names the chance that a page's meaning has changed since it was verified. */
export function riskOf(probability: number): Risk {
  if (probability < 0.02) return "low";
  return probability <= 0.2 ? "medium" : "high";
}

/** Returns whether a browser can open an address: a file lies with who added it. */
export function isWeb(uri: string): boolean {
  return /^https?:\/\//.test(uri);
}

/** Returns an address without what every address has. */
export function shortAddress(uri: string): string {
  return uri.replace(/^https?:\/\//, "");
}

/** Writes a measure with so many digits after the point, and a sign in front of it if asked. */
export function signed(value: number, digits: number, sign: "always" | "negative"): string {
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const words = Math.abs(value).toLocaleString(shownLocale(), format);
  const isNought = Number(Math.abs(value).toFixed(digits)) === 0;
  if (value < 0 && !isNought) return `−${words}`;
  return sign === "always" && !isNought ? `+${words}` : words;
}
