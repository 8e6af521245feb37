import type { PageVersion } from "@scops/api";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a version stood, as shares of the time that the page is known, 0 to 100. */
export interface Stay {
  version: string;
  start: number;
  width: number;
}

/** Returns the stays of versions, the oldest first. */
export function staysOf(versions: PageVersion[], now: number): Stay[] {
  const oldest = [...versions].reverse();
  const begun = startOf(oldest[0]) ?? now;
  const whole = Math.max(now - begun, 1);
  return oldest.map((one, place) => {
    const from = startOf(one) ?? begun;
    const to = endOf(one) ?? startOf(oldest[place + 1]) ?? now;
    const start = (100 * (from - begun)) / whole;
    return { version: one.version ?? "", start, width: Math.max((100 * (to - from)) / whole, 0) };
  });
}

/** Returns the version that stood at the end of a day (UTC), of versions newest first. */
export function versionOn(versions: PageVersion[], day: string): PageVersion | undefined {
  const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  return versions.find((one) => (startOf(one) ?? Number.POSITIVE_INFINITY) < end);
}

/** Returns the day (UTC) on which a version was first seen. */
export function dayOf(version: PageVersion | undefined): string {
  return version?.observedFromTime?.slice(0, 10) ?? "";
}

function startOf(version: PageVersion | undefined): number | undefined {
  return version?.observedFromTime ? Date.parse(version.observedFromTime) : undefined;
}

function endOf(version: PageVersion): number | undefined {
  return version.observedToTime ? Date.parse(version.observedToTime) : undefined;
}
