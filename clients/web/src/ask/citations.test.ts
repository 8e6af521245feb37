import { expect, test } from "vitest";
import { historyOf, neighbour, quotable } from "./citations.ts";

const one = { number: 1, page: "pages/a", version: "v1", title: "A", uri: "https://a.example/" };
const two = { number: 2, page: "pages/b", version: "v1", title: "B", uri: "https://b.example/" };
const three = { number: 3, page: "pages/a", version: "v1" };
const answer = {
  answered: true,
  statements: [{ text: "Owls hunt.", citationNumbers: [1, 2] }],
  citations: [one, two, three],
};

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
