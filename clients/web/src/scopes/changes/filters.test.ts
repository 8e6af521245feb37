import { expect, test } from "vitest";
import { heavyEnough, reasonsOf } from "./filters.ts";

const PRICES = {
  name: "pages/prices",
  news: "changed",
  changeReasons: ["money"],
  salience: 0.9,
  edits: [
    { salience: 0.9, reasons: ["money"] },
    { salience: 0.2, reasons: ["wording"] },
  ],
};
const NEW = { name: "pages/new", news: "added" };
const LIGHT = { name: "pages/light", news: "changed", salience: 0.1, edits: [{ salience: 0.1 }] };

test("reasons are counted once a page, the commonest first", () => {
  const other = { ...PRICES, name: "pages/other", changeReasons: ["wording"], edits: [] };

  expect(reasonsOf([PRICES, other, NEW])).toEqual([
    ["wording", 2],
    ["money", 1],
  ]);
});

test("edits that weigh less are left out, and pages without any left", () => {
  const kept = heavyEnough([PRICES, NEW, LIGHT], 0.5);

  expect(kept.map((change) => [change.name, change.edits?.length])).toEqual([
    ["pages/prices", 1],
    ["pages/new", undefined],
  ]);
  expect(heavyEnough([PRICES, LIGHT], 0)).toEqual([PRICES, LIGHT]);
});
