import { expect, test } from "vitest";
import { byPage, historyOf, neighbour, quotable, stateOf } from "./citations.ts";

const one = { number: 1, page: "pages/a", version: "v1", title: "A", uri: "https://a.example/" };
const two = { number: 2, page: "pages/b", version: "v1", title: "B", uri: "https://b.example/" };
const three = { number: 3, page: "pages/a", version: "v1" };
const answer = {
  answered: true,
  statements: [{ text: "Owls hunt.", citationNumbers: [1, 2] }],
  citations: [one, two, three],
};

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

test("the neighbours of the first and the last citation are themselves", () => {
  expect([neighbour(answer, 1, -1), neighbour(answer, 1, 1), neighbour(answer, 3, 1)]).toEqual([
    1, 2, 3,
  ]);
});

test("what is pasted names each quote's page and version", () => {
  expect(quotable({ ...answer, citations: [one] })).toBe(
    "Owls hunt. [1][2]\n\n[1] A https://a.example/ (version v1)",
  );
});

test("a model is told of answers, not of questions that had none", () => {
  const asked = { scopes: [], asOf: "", askedAt: "" };
  const turns = [
    { ...asked, id: "1", query: "Do owls hunt?", answer },
    { ...asked, id: "2", query: "Do owls sing?", answer: { answered: false } },
  ];

  expect(historyOf(turns)).toEqual([
    { speaker: "SPEAKER_USER", text: "Do owls hunt?" },
    { speaker: "SPEAKER_ASSISTANT", text: "Owls hunt." },
  ]);
});
