import { remarksOf } from "@scops/ui";
import { expect, test } from "vitest";
import { messagesOf } from "../messages/index.ts";
import { percentOf } from "./reasons.ts";

function remark(code: string, told: Record<string, string>) {
  return {
    code,
    arguments: Object.entries(told).map(([name, value]) => ({ name, value })),
  };
}

test("a rank is told by what sets it apart from its neighbours, in the reader's language", () => {
  const told = { rank: "2", above: "1", behind_by: "bm25,fresh", below: "3", ahead_by: "" };
  const between = [remark("ranks_between", told)];

  expect(remarksOf(between, "", messagesOf("en")).text).toBe(
    "Ranks 2: rank 1 is ahead of it by more of the question's words and a more recent text, " +
      "and it is ahead of rank 3 by next to nothing.",
  );
  expect(remarksOf(between, "", messagesOf("de")).text).toBe(
    "Rang 2: Rang 1 liegt davor durch mehr Wörter der Frage und einen neueren Text; " +
      "vor Rang 3 liegt sie durch so gut wie nichts.",
  );
});

test("a part without a name here keeps its own", () => {
  const told = [remark("rank_without", { part: "taste", rank: "4" })];

  expect(remarksOf(told, "", messagesOf("en")).text).toBe("Without taste it would rank 4.");
});

test("no probability is told as certain", () => {
  expect([0, 0.004, 0.5, 0.999].map(percentOf)).toEqual(["1 %", "1 %", "50 %", "99 %"]);
});
