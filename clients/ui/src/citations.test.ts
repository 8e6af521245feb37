import { expect, test } from "vitest";
import { byPage, stateOf } from "./citations.ts";

const one = { number: 1, page: "pages/a", version: "v1", title: "A", uri: "https://a.example/" };
const two = { number: 2, page: "pages/b", version: "v1", title: "B", uri: "https://b.example/" };
const three = { number: 3, page: "pages/a", version: "v1" };

test("a citation is risky where its page may have changed", () => {
  expect(stateOf(one, { risk: 0.001 }, undefined)).toBe("current");
  expect(stateOf(one, { risk: 0.1 }, undefined)).toBe("risky");
});

test("what looking it up again found counts for more than what the answer said", () => {
  const superseded = { ...one, superseded: true };

  expect(stateOf(superseded, undefined, undefined)).toBe("superseded");
  expect(stateOf(superseded, undefined, { anchor: "ANCHOR_SAME" })).toBe("current");
  expect(stateOf(one, undefined, { anchor: "ANCHOR_SUPERSEDED" })).toBe("superseded");
  expect(stateOf(one, undefined, { anchor: "ANCHOR_TOMBSTONE" })).toBe("gone");
  expect(stateOf(one, undefined, { anchor: "ANCHOR_SAME", pageClosed: true })).toBe("gone");
});

test("a page is listed once, with all that is cited of it", () => {
  expect(byPage([one, two, three])).toEqual([[one, three], [two]]);
});
