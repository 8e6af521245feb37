import {
  type Api,
  idOf,
  type LocatedPage,
  type PageHistory,
  type PageVersion,
  Problem,
  read,
} from "@scops/api";

/** How a page stands in the scopes that one may ask. */
export type Standing = "indexed" | "gone" | "matched" | "kept-out" | "outside";

/** What is known of a page. */
export interface Place {
  located: LocatedPage;
  history: PageHistory | undefined;
}

const VERSIONS = 100;
const NOT_FOUND = 404;

/** Looks a page up. */
export async function placeOf(api: Api, uri: string, signal?: AbortSignal): Promise<Place> {
  const given = signal ? { signal } : {};
  const located = await read(api.GET("/v1/pages:locate", { params: { query: { uri } }, ...given }));
  const name = located.page?.name;
  if (!name) return { located, history: undefined };
  const params = { path: { page: idOf(name) }, query: { pageSize: VERSIONS } };
  try {
    const history = await read(api.GET("/v1/pages/{page}/versions", { params, ...given }));
    return { located, history };
  } catch (error) {
    // A page that was not fetched yet has no version.
    if (error instanceof Problem && error.status === NOT_FOUND) {
      return { located, history: undefined };
    }
    throw error;
  }
}

/** Says how a page stands. */
export function standingOf({ located, history }: Place): Standing {
  if (history?.closed) return "gone";
  if (history?.versions?.length) return "indexed";
  const rules = (located.matches ?? []).map((match) => match.rule);
  if (located.page || rules.some((rule) => rule && !rule.exclude)) return "matched";
  return rules.length > 0 ? "kept-out" : "outside";
}

/** Returns the version that stands. */
export function latestOf(place: Place): PageVersion | undefined {
  return place.history?.versions?.[0];
}
