import type { WhoAmI } from "@scops/api";
import { isLocal } from "../session/session.tsx";

/** The parts of the operator's page, in their order. */
export const PARTS = [
  "health",
  "jobs",
  "queues",
  "letters",
  "people",
  "keys",
  "quotas",
  "audit",
] as const;
export type Part = (typeof PARTS)[number];

/** Any of these makes somebody one whom the page is for. */
const OPERATORS = ["read_health", "manage_keys", "manage_members", "read_quotas", "read_audit"];
const TAKES: Record<Part, string> = {
  health: "read_health",
  jobs: "read_health",
  queues: "read_health",
  letters: "read_health",
  people: "manage_members",
  keys: "manage_own_keys",
  quotas: "read_quotas",
  audit: "read_audit",
};
/** Without identity there is nobody to give something to. */
const OF_IDENTITY: ReadonlySet<Part> = new Set(["people", "keys"]);

/** Returns whether a caller may do something apart from any scope. */
export function may(caller: WhoAmI, permission: string): boolean {
  return caller.permissions?.includes(permission) ?? false;
}

/** Returns the parts of the page that a caller may see; none for whom it is not. */
export function partsFor(caller: WhoAmI): Part[] {
  if (!OPERATORS.some((permission) => may(caller, permission))) return [];
  return PARTS.filter(
    (part) => may(caller, TAKES[part]) && !(isLocal(caller) && OF_IDENTITY.has(part)),
  );
}
