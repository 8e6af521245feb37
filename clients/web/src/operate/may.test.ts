import type { WhoAmI } from "@scops/api";
import { expect, test } from "vitest";
import { PARTS, partsFor } from "./may.ts";

const caller = (...permissions: string[]): WhoAmI => ({
  credential: "CREDENTIAL_KIND_TOKEN",
  permissions: ["who_am_i", "manage_own_keys", "read_own_quotas", ...permissions],
});

test("whoever has no role sees nothing of it", () => {
  expect(partsFor(caller())).toEqual([]);
});

test("an operator sees no people, an administrator does", () => {
  const shared = ["read_health", "read_audit", "read_quotas"];
  const operator = partsFor(caller(...shared, "mend_dead_letters"));

  expect(operator).toEqual(PARTS.filter((part) => part !== "people"));
  expect(partsFor(caller(...shared, "manage_members", "manage_keys"))).toEqual([...PARTS]);
});

test("on one's own machine nobody has a key", () => {
  const local = caller("read_health", "manage_members", "manage_keys", "read_audit", "read_quotas");
  const shown = partsFor({ ...local, credential: "CREDENTIAL_KIND_LOCAL" });

  expect(shown).not.toContain("keys");
  expect(shown).not.toContain("people");
  expect(shown).toContain("letters");
});
