import type { DiffHunk, PageVersion } from "@scops/api";
import { joined } from "@scops/ui";
import type { Wanted } from "../page/exact.ts";
import { kept } from "../server/storage.ts";

/** The version of a page that one saw last, and when. */
export interface Seen {
  version: string;
  textDigest: string;
  at: string;
}

export type SeenPages = Record<string, Seen>;

/** Pages remembered; of more the ones are forgotten that were seen longest ago. */
const PAGES_MAX = 2_000;
/** Of the text around a change, by which its place is told from others. */
const AROUND_MAX = 60;
const MARKS_MAX = 100;

/** By name of page, for the server that one is paired with. */
export const seenPages = kept<SeenPages>("seen", {});

/** Returns what one has seen, with a version of a page seen now. */
export function withSeen(all: SeenPages, page: string, version: PageVersion, now: Date): SeenPages {
  const { [page]: _, ...others } = all;
  const seen = {
    version: version.version ?? "",
    textDigest: version.textDigest ?? "",
    at: now.toISOString(),
  };
  const newest = Object.entries(others)
    .sort(([, one], [, other]) => other.at.localeCompare(one.at))
    .slice(0, PAGES_MAX - 1);
  return Object.fromEntries([...newest, [page, seen]]);
}

/** Says whether a page says something else than when it was seen; reading it anew is no change. */
export function hasChanged(seen: Seen, latest: PageVersion): boolean {
  return seen.version !== latest.version && seen.textDigest !== latest.textDigest;
}

/** Counts the changes of meaning since a version was seen. */
export function changesSince(seen: Seen, versions: PageVersion[]): number {
  const at = versions.findIndex((one) => one.version === seen.version);
  const newer = at < 0 ? versions : versions.slice(0, at);
  return newer.filter((one) => one.counts && !one.pipelineChanged).length;
}

/** Returns what came to a page, each with what stands around it. */
export function additions(hunks: DiffHunk[]): Wanted[] {
  return hunks
    .flatMap((hunk) => {
      const parts = joined(hunk.parts ?? []).filter((part) => part.kind !== "KIND_DELETE");
      return parts.flatMap((part, index) =>
        part.kind === "KIND_INSERT" && part.text?.trim()
          ? [
              {
                text: part.text,
                before: textOf(parts.slice(0, index)).slice(-AROUND_MAX),
                after: textOf(parts.slice(index + 1)).slice(0, AROUND_MAX),
              },
            ]
          : [],
      );
    })
    .slice(0, MARKS_MAX);
}

function textOf(parts: { text?: string }[]): string {
  return parts.map((part) => part.text ?? "").join("");
}
