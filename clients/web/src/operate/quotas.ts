import type { Quota } from "@scops/api";

/** Of model_cost, in the currency of prices. */
const MILLIONTHS = 1_000_000;
const SHARE_MAX = 100;

/** Returns an amount of a quota as people say it. */
export function amount(quota: Quota, value: string | undefined, locale: string): string {
  const number = Number(value ?? 0);
  if (quota.name !== "model_cost") return number.toLocaleString(locale);
  return (number / MILLIONTHS).toLocaleString(locale, { maximumFractionDigits: 2 });
}

/** Returns how much of its bound is used, 0 to 100; nothing where there is no bound. */
export function usedPercent(quota: Quota): number | undefined {
  const limit = Number(quota.limit ?? 0);
  if (limit <= 0) return undefined;
  return Math.min(SHARE_MAX, Math.round((SHARE_MAX * Number(quota.used ?? 0)) / limit));
}
