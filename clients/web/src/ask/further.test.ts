import { expect, test } from "vitest";
import { canWiden, checkable, checkedBy, crawlable } from "./further.ts";

const owned = { name: "scopes/owls", role: "SCOPE_ROLE_OWNER" } as const;
const added = { name: "scopes/bees", role: "SCOPE_ROLE_CONTRIBUTOR" } as const;
const viewed = { name: "scopes/laws", role: "SCOPE_ROLE_VIEWER" } as const;
const scopes = [owned, added, viewed];
const turn = {
  id: "1",
  query: "Do owls hunt?",
  scopes: ["*"],
  asOf: "",
  askedAt: "2026-06-02T14:00:00Z",
  answer: {
    passages: [
      { page: "pages/a", scopes: [{ scope: "scopes/laws" }, { scope: "scopes/bees" }] },
      { page: "pages/b", scopes: [{ scope: "scopes/laws" }] },
    ],
  },
};

test("a question is widened where there is a scope that it was not asked of", () => {
  expect(canWiden(["scopes/owls"], scopes)).toBe(true);
  expect(canWiden(["*"], scopes)).toBe(false);
  expect(canWiden(["scopes/owls"], [owned])).toBe(false);
});

test("scopes are crawled by who may, among those that were asked", () => {
  expect(crawlable(["*"], scopes)).toEqual([owned]);
  expect(crawlable(["scopes/laws", "scopes/bees"], scopes)).toEqual([]);
});

test("pages are fetched for a question in scopes that were asked, by who may", () => {
  expect(checkable(["*"], scopes)).toEqual([owned, added]);
  expect(checkable(["scopes/laws", "scopes/bees"], scopes)).toEqual([added]);
});

test("a cited page is fetched anew by a scope that holds it and lets its reader do so", () => {
  expect(checkedBy(turn, { page: "pages/a" }, scopes)).toEqual(added);
  expect(checkedBy(turn, { page: "pages/b" }, scopes)).toBeUndefined();
  expect(checkedBy(turn, { page: "pages/c" }, scopes)).toBeUndefined();
});
