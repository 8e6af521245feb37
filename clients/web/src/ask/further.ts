import type { Answer, Citation, Scope } from "@scops/api";
import { mayCheck, mayCrawl } from "../scopes/roles.ts";
import type { AskedTurn } from "./conversation.ts";

/** Every scope that the caller may ask. */
export const EVERY = "*";

/** Returns whether a question could be asked of more scopes than it was. */
export function canWiden(asked: string[], scopes: Scope[]): boolean {
  return !asked.includes(EVERY) && scopes.some((scope) => !asked.includes(scope.name ?? ""));
}

/** Returns the scopes that a question was asked of and that its reader may crawl. */
export function crawlable(asked: string[], scopes: Scope[]): Scope[] {
  return among(asked, scopes).filter(mayCrawl);
}

/** Returns the scopes that a question was asked of and in which its reader may have pages fetched. */
export function checkable(asked: string[], scopes: Scope[]): Scope[] {
  return among(asked, scopes).filter(mayCheck);
}

/** Returns a scope by which the reader of an answer may have a cited page fetched anew. */
export function checkedBy(turn: AskedTurn, citation: Citation, scopes: Scope[]): Scope | undefined {
  const holding = holders(turn.answer ?? {}, citation);
  return scopes.find((scope) => isAmong(scope, holding) && mayCheck(scope));
}

function among(asked: string[], scopes: Scope[]): Scope[] {
  return asked.includes(EVERY) ? scopes : scopes.filter((one) => isAmong(one, asked));
}

function holders(answer: Answer, citation: Citation): string[] {
  const passages = (answer.passages ?? []).filter((one) => one.page === citation.page);
  return passages.flatMap((one) => (one.scopes ?? []).map((match) => match.scope ?? ""));
}

function isAmong(scope: Scope, names: string[]): boolean {
  return names.includes(scope.name ?? "");
}
