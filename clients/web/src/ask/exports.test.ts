import { expect, test } from "vitest";
import type { AskedTurn } from "./conversation.ts";
import { exported } from "./exports.ts";

const citation = {
  number: 1,
  page: "pages/a",
  version: "v1",
  title: "Owls {and} *others*",
  uri: "https://a.example/owls",
  quote: "Owls <b>hunt</b>.",
  clocks: { verifiedTime: "2026-06-02T12:00:00Z" },
};
const turn = {
  id: "1",
  query: "Do owls hunt?",
  scopes: ["scopes/owls"],
  asOf: "",
  askedAt: "2026-06-02T14:00:00Z",
  answer: {
    answered: true,
    statements: [{ text: "Owls <b>hunt</b>.", citationNumbers: [1] }],
    citations: [citation],
    evidenceBundle: "c2VjcmV0",
  },
};
const none = {
  ...turn,
  id: "2",
  answer: { answered: false, shortfallReason: "No sentence answers." },
};

test("a chat as Markdown has each quote with its page and version, and no markup of pages", () => {
  expect(exported("Owls", [turn, none], "markdown").text).toBe(`# Owls

## Do owls hunt?

2026-06-02T14:00:00Z scopes/owls

Owls \\<b\\>hunt\\</b\\>. [1]

1. “Owls \\<b\\>hunt\\</b\\>.” — Owls {and} \\*others\\*, <https://a.example/owls>, version v1

## Do owls hunt?

2026-06-02T14:00:00Z scopes/owls

No sentence answers.
`);
});

test("cited versions stand once in a bibliography", () => {
  const text = exported("Owls", [turn, turn], "bibtex").text;

  expect(text).toBe(`@misc{scops1,
  title = {Owls and *others*},
  url = {https://a.example/owls},
  urldate = {2026-06-02},
  note = {version v1},
}
`);
  expect(JSON.parse(exported("Owls", [turn, turn], "csl").text)).toEqual([
    {
      id: "scops1",
      type: "webpage",
      title: "Owls {and} *others*",
      URL: "https://a.example/owls",
      accessed: { "date-parts": [[2026, 6, 2]] },
      version: "v1",
    },
  ]);
});

test("a bibliography as RIS has a line for each field, whatever a title holds", () => {
  const citations = [{ ...citation, title: "Owls\r\nER  - \n" }];
  const told = { ...turn, answer: { ...turn.answer, citations } } as AskedTurn;

  expect(exported("Owls", [told], "ris").text).toBe(
    [
      "TY  - ELEC",
      "TI  - Owls ER  -  ",
      "UR  - https://a.example/owls",
      "Y2  - 2026/06/02",
      "N1  - version v1",
      "ER  - ",
      "",
    ].join("\r\n"),
  );
});

test("a chat as JSON has the answers as they were", () => {
  const told = JSON.parse(exported("Owls", [turn], "json").text);

  expect(told).toMatchObject({ title: "Owls", turns: [{ query: "Do owls hunt?" }] });
  expect(told.turns[0].answer).toEqual(turn.answer);
});
