import { expect, test } from "vitest";
import { axisOf, barsOf, movesBetween, rankWithout, scaleOf, sharesOf, speaks } from "./parts.ts";

const part = (name: string, weighted: number, present = true) => ({
  name,
  raw: weighted,
  weight: 1,
  weighted,
  present,
});
const explained = (chunk: string, ...parts: ReturnType<typeof part>[]) => ({
  passage: { page: "pages/a", chunk, parts },
});

test("shares stand in their order, words together, and the prior is none", () => {
  const parts = [
    part("prior", -8),
    part("bm25", 2),
    part("bm25_margin", 0.5),
    part("vector", 6),
    part("graph", 1, false),
  ];

  expect(sharesOf(parts)).toEqual([
    { kind: "vector", value: 6 },
    { kind: "words", value: 2.5 },
  ]);
});

test("bars add up to both sides of the axis, on one scale for all passages", () => {
  const first = [
    { kind: "vector", value: 3 },
    { kind: "scope", value: -1 },
  ] as const;
  const scale = scaleOf([[...first], [{ kind: "graph", value: 2 }]]);

  expect(scale).toEqual({ below: 1, above: 3 });
  expect(axisOf(scale)).toBe(25);
  expect(barsOf([...first], scale)).toEqual([
    { kind: "vector", x: 25, width: 75, isNegative: false },
    { kind: "scope", x: 0, width: 25, isNegative: true },
  ]);
});

test("a ranking in which nothing speaks has an axis all the same", () => {
  expect(axisOf(scaleOf([[]]))).toBe(0);
  expect(barsOf([], scaleOf([]))).toEqual([]);
});

test("a passage that rose has risen by as many places, and one that was not there is new", () => {
  const before = [explained("a"), explained("b"), explained("c")];
  const now = [explained("c"), explained("d"), explained("a")];

  expect([...movesBetween(before, now).values()]).toEqual([2, "new", -2]);
});

test("a rank without a part is told where the part has a say", () => {
  const one = { ...explained("a"), ranksWithout: [{ part: "vector", rank: 4 }] };

  expect(rankWithout(one, "vector")).toBe(4);
  expect(rankWithout(one, "graph")).toBeUndefined();
});

test("a part that is absent or nought everywhere does not speak", () => {
  const all = [explained("a", part("graph", 0), part("fresh", 0.5, false))];

  expect(speaks(all, "graph")).toBe(false);
  expect(speaks(all, "fresh")).toBe(false);
  expect(speaks([...all, explained("b", part("graph", 0.1))], "graph")).toBe(true);
});
