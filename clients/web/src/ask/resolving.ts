import { type Api, type ResolvedCitation, read } from "@scops/api";
import type { AskedTurn } from "./conversation.ts";

/** Most citations that the gateway looks up at once. */
const RESOLVED_MAX = 50;

/** Returns what became of the citations of answers: by the turn's id, then by their number. */
export async function resolve(
  api: Api,
  turns: AskedTurn[],
): Promise<Map<string, Record<number, ResolvedCitation>>> {
  const cited = turns.flatMap(({ id, answer }) =>
    (answer?.citations ?? []).map((citation) => ({ id, citation })),
  );
  const found = new Map<string, Record<number, ResolvedCitation>>();
  for (let first = 0; first < cited.length; first += RESOLVED_MAX) {
    const some = cited.slice(first, first + RESOLVED_MAX);
    // Each answer counts from 1: among several a citation is known by its place.
    const citations = some.map(({ citation }, place) => ({ ...citation, number: place + 1 }));
    const told = await read(api.POST("/v1/citations:resolve", { body: { citations } }));
    for (const one of told.citations ?? []) {
      const at = some[(one.number ?? 0) - 1];
      if (!at) continue;
      const number = at.citation.number ?? 0;
      found.set(at.id, { ...found.get(at.id), [number]: { ...one, number } });
    }
  }
  return found;
}
