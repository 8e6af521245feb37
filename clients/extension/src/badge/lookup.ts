import { type Api, type PageVersion, read } from "@scops/api";
import { placeOf, type Standing, standingOf } from "../card/place.ts";
import { changesSince, hasChanged, type SeenPages } from "../card/seen.ts";
import type { Kept } from "../server/storage.ts";
import type { Badge } from "./badge.ts";
import { hostsOf, isAmong } from "./hosts.ts";

/** How long an answer about a page counts. */
export const FRESH_MS = 5 * 60_000;
const PAGES_MAX = 500;
const VERSIONS_MAX = 20;
const SCOPES_MAX = 1_000;

interface LookedUp {
  standing: Standing;
  page: string;
  versions: PageVersion[];
  at: number;
}

/** What was looked up lately; kept by the browser, since the worker that asks sleeps in between. */
export interface Lookups {
  hosts?: { names: string[]; at: number };
  pages: Record<string, LookedUp>;
}

/** Looks pages up for the badge: each once in a while, and those of hosts in no scope never. */
export class BadgeLookup {
  constructor(
    private readonly api: Api,
    private readonly lookups: Kept<Lookups>,
    private readonly now: () => number,
  ) {}

  /** Returns the badge of a page; nothing where its host is one that is never told. */
  async of(url: string, excluded: string[], seen: SeenPages): Promise<Badge | undefined> {
    const { host, hostname } = new URL(url);
    if (isAmong(host, excluded) || isAmong(hostname, excluded)) return undefined;
    const known = await this.lookups.get();
    const hosts = this.isFresh(known.hosts) ? known.hosts : await this.hostsOfScopes();
    if (!isAmong(host, hosts.names)) {
      await this.lookups.set({ ...known, hosts });
      return { standing: "outside", changes: 0 };
    }
    const before = known.pages[url];
    const found = this.isFresh(before) ? before : await this.lookUp(url);
    await this.lookups.set({ hosts, pages: newest({ ...known.pages, [url]: found }) });
    return badgeOf(found, seen);
  }

  private isFresh<T extends { at: number }>(known: T | undefined): known is T {
    return known !== undefined && this.now() - known.at < FRESH_MS;
  }

  private async lookUp(url: string): Promise<LookedUp> {
    const place = await placeOf(this.api, url);
    const versions = place.history?.versions ?? [];
    return {
      standing: standingOf(place),
      page: place.located.page?.name ?? "",
      versions: versions.slice(0, VERSIONS_MAX),
      at: this.now(),
    };
  }

  private async hostsOfScopes(): Promise<{ names: string[]; at: number }> {
    const query = { pageSize: SCOPES_MAX };
    const { scopes, nextPageToken } = await read(this.api.GET("/v1/scopes", { params: { query } }));
    const rules = (scopes ?? []).flatMap((scope) => scope.rules ?? []);
    // Of more scopes than one reply lists not every host is known.
    return { names: nextPageToken ? ["*"] : hostsOf(rules), at: this.now() };
  }
}

function badgeOf({ standing, page, versions }: LookedUp, seen: SeenPages): Badge {
  const [last, latest] = [seen[page], versions[0]];
  const isNew = last && latest && hasChanged(last, latest);
  return { standing, changes: isNew ? Math.max(1, changesSince(last, versions)) : 0 };
}

function newest(pages: Record<string, LookedUp>): Record<string, LookedUp> {
  const all = Object.entries(pages).sort(([, one], [, other]) => other.at - one.at);
  return Object.fromEntries(all.slice(0, PAGES_MAX));
}
