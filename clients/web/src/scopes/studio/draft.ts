import type { Scope, ScopeRule } from "@scops/api";

export const KINDS = ["KIND_PREFIX", "KIND_GLOB", "KIND_REGEX", "KIND_PAGE"] as const;
export type RuleKind = (typeof KINDS)[number];

/** A rule as it is written; ids are those of rows, which have no name of their own. */
export interface DraftRule {
  id: number;
  kind: RuleKind;
  pattern: string;
  exclude: boolean;
}

/** What a scope holds, as it is being changed. */
export interface Draft {
  rules: DraftRule[];
  seeds: string;
  sitemaps: string;
}

/** Returns what is changed of a scope as it stands. */
export function draftOf(scope: Scope): Draft {
  return {
    rules: (scope.rules ?? []).map((rule, id) => ({
      id,
      kind: KINDS.find((kind) => kind === rule.kind) ?? "KIND_PREFIX",
      pattern: rule.pattern ?? "",
      exclude: rule.exclude ?? false,
    })),
    seeds: (scope.seeds ?? []).join("\n"),
    sitemaps: (scope.sitemaps ?? []).join("\n"),
  };
}

/** Returns a draft with one rule more. */
export function withRule(draft: Draft): Draft {
  const id = Math.max(-1, ...draft.rules.map((rule) => rule.id)) + 1;
  const rule: DraftRule = { id, kind: "KIND_PREFIX", pattern: "", exclude: false };
  return { ...draft, rules: [...draft.rules, rule] };
}

/** Returns rules as the API takes them; what is not written yet is none. */
export function rulesOf(draft: Draft): ScopeRule[] {
  return draft.rules
    .filter((rule) => rule.pattern.trim())
    .map(({ kind, pattern, exclude }) => ({ kind, pattern: pattern.trim(), exclude }));
}

/** Returns the lines of a text that say something. */
export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** Returns whether a draft says the same as the scope that it was made of. */
export function isSame(draft: Draft, scope: Scope): boolean {
  const before = draftOf(scope);
  return (
    JSON.stringify(rulesOf(draft)) === JSON.stringify(rulesOf(before)) &&
    JSON.stringify(linesOf(draft.seeds)) === JSON.stringify(linesOf(before.seeds)) &&
    JSON.stringify(linesOf(draft.sitemaps)) === JSON.stringify(linesOf(before.sitemaps))
  );
}
