import { expect, test } from "vitest";
import { collapsed, locate, oneLine } from "./exact.ts";

const bare = (text: string) => ({ text, before: "", after: "" });

test("white space of any kind and number is one space, and is mapped to where it was", () => {
  const { text, pieces, offsets } = collapsed(["The  River\n", "\t plan\u00a0costs"]);

  expect(text).toBe("The River plan costs");
  expect([pieces[10], offsets[10]]).toEqual([1, 2]);
});

test("a quote is found across pieces, word for word", () => {
  const { text } = collapsed(["The River plan ", "costs 17", " euros."]);

  expect(locate(text, bare("River plan costs\n17"))).toEqual({ state: "found", start: 4, end: 23 });
});

test.each(["River plan costs 14", "river plan", "River plan costs 17 euros!", " "])(
  "%j does not stand there, however alike",
  (quote) => {
    expect(locate("The River plan costs 17 euros.", bare(quote))).toEqual({ state: "absent" });
  },
);

test("a number does not stand in a longer one", () => {
  expect(locate("1700 euros", bare("17"))).toEqual({ state: "absent" });
  expect(locate("costs 17 euros", bare("17"))).toMatchObject({ state: "found", start: 6 });
});

test("of several places the one counts whose surroundings are those of the quote", () => {
  const text = "Stream costs 4 euros. River costs 17 euros. Lake costs 17 euros.";
  const found = locate(text, { text: "17", before: "Lake costs", after: "euros." });

  expect(found).toEqual({ state: "found", start: 55, end: 57 });
});

test("a quote that could be two is marked at none", () => {
  const text = "It costs 17 euros. It costs 17 euros.";

  expect(locate(text, bare("costs 17 euros"))).toEqual({ state: "ambiguous" });
  expect(locate(text, { text: "17", before: "It costs", after: "euros." })).toEqual({
    state: "ambiguous",
  });
});

test("what stands around a quote may be missing on the page, if the quote stands once", () => {
  const found = locate("Prices The plan costs 17 euros.", {
    text: "The plan costs 17 euros.",
    before: "Home > Prices >",
    after: "Updated today",
  });

  expect(found).toMatchObject({ state: "found", start: 7 });
});

test("a text as long as a page is searched at once", () => {
  const text = "a ".repeat(500_000);
  const started = performance.now();
  locate(text, bare("a a a a b"));
  locate(text, { text: "a", before: "b", after: "b" });

  expect(performance.now() - started).toBeLessThan(2_000);
});

test("lines of a quote are one line", () => {
  expect(oneLine("a\n\n b ")).toBe("a b");
});
