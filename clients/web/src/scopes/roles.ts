import type { Scope } from "@scops/api";

/** Roles that may have a scope crawled; a grant may name it beside another role. */
const CRAWLERS = new Set(["SCOPE_ROLE_EDITOR", "SCOPE_ROLE_OWNER"]);
/** Roles that may have known pages fetched anew. */
const CHECKERS = new Set(["SCOPE_ROLE_CONTRIBUTOR", ...CRAWLERS]);

export function mayCrawl(scope: Scope): boolean {
  return CRAWLERS.has(scope.role ?? "");
}

export function mayCheck(scope: Scope): boolean {
  return CHECKERS.has(scope.role ?? "");
}
