import type { Scope, ScopeRule } from "@scops/api";
import { type Draft, draftOf, KINDS, type RuleKind, rulesOf } from "./draft.ts";

const WORDS: Record<RuleKind, string> = {
  KIND_PREFIX: "prefix",
  KIND_GLOB: "glob",
  KIND_REGEX: "regex",
  KIND_PAGE: "page",
};
/** Longest file that is read. */
export const FILE_BYTES_MAX = 1_000_000;

/**
 * Writes what a scope holds as `scops apply -f` reads it: JSON, which is YAML too.
 *
 * Rules that a boundary writes are written out, as the API shows them.
 */
export function definitionOf(scope: Scope): string {
  const draft = draftOf(scope);
  const written = (exclude: boolean) =>
    rulesOf(draft)
      .filter((rule) => Boolean(rule.exclude) === exclude)
      .map((rule) => `${WORDS[rule.kind as RuleKind]}:${rule.pattern}`);
  const definition = {
    name: (scope.name ?? "").split("/").pop(),
    ...(scope.displayName ? { display_name: scope.displayName } : {}),
    seeds: scope.seeds ?? [],
    ...(scope.sitemaps?.length ? { sitemaps: scope.sitemaps } : {}),
    include: written(false),
    ...(written(true).length > 0 ? { exclude: written(true) } : {}),
    ...(scope.pageLimit ? { page_limit: scope.pageLimit } : {}),
    ...(scope.depthLimit ? { depth_limit: scope.depthLimit } : {}),
    ...(scope.recrawlPerDay ? { recrawl_per_day: scope.recrawlPerDay } : {}),
    ...(scope.renderedPerDay ? { rendered_per_day: scope.renderedPerDay } : {}),
    ...(scope.renderedAlways ? { rendered_always: true } : {}),
    ...(scope.paperServices?.length ? { paper_services: scope.paperServices } : {}),
    ...(scope.retentionDays ? { retention_days: scope.retentionDays } : {}),
    ...(scope.public ? { public: true } : {}),
  };
  return `${JSON.stringify([definition], null, 2)}\n`;
}

/**
 * Reads rules, seeds and sitemaps of a file that `definitionOf` wrote, of this scope or another.
 *
 * Returns undefined for a file that holds anything else.
 */
export function draftFrom(text: string): Draft | undefined {
  const found = parsed(text);
  const one = Array.isArray(found) && found.length === 1 ? found[0] : found;
  if (typeof one !== "object" || one === null || !("include" in one)) return undefined;
  const fields = one as Record<string, unknown>;
  const include = rulesIn(fields.include, false);
  const exclude = rulesIn(fields.exclude, true);
  const seeds = strings(fields.seeds);
  const sitemaps = strings(fields.sitemaps);
  if (!include || !exclude || !seeds || !sitemaps) return undefined;
  return draftOf({ rules: [...include, ...exclude], seeds, sitemaps });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function strings(value: unknown): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) return undefined;
  return value;
}

function rulesIn(value: unknown, exclude: boolean): ScopeRule[] | undefined {
  const rules = strings(value)?.map((words) => {
    const [kind = "", pattern = ""] = words.split(/:(.*)/s);
    return { kind: KINDS.find((one) => WORDS[one] === kind), pattern, exclude };
  });
  return rules?.every((rule) => rule.kind && rule.pattern) ? (rules as ScopeRule[]) : undefined;
}
