/** Kinds of parts in the order in which they are always drawn. */
export const KINDS = ["vector", "graph", "fresh", "scope", "words", "other"] as const;
export type PartKind = (typeof KINDS)[number];

const KIND_OF: Record<string, PartKind> = {
  vector: "vector",
  graph: "graph",
  fresh: "fresh",
  scope: "scope",
  bm25: "words",
  bm25_margin: "words",
};
/** Returns the kind that a part of a score is drawn as. */
export function kindOf(part: string | undefined): PartKind {
  return KIND_OF[part ?? ""] ?? "other";
}
