import { expect, test } from "vitest";
import { isWhole, taken } from "./reply.ts";

const asked = { query: "?", scopes: ["*"], isDone: false };
const sources = { sources: { passages: [{ chunk: "c" }] } };
const statement = {
  statement: {
    statement: { text: "Owls hunt.", citationNumbers: [1] },
    citations: [{ number: 1 }],
  },
};

test("an answer is read as far as it has come", () => {
  expect(taken({ ...asked, parts: [sources] })).toMatchObject({
    answered: false,
    passages: [{ chunk: "c" }],
  });
  expect(taken({ ...asked, parts: [sources, statement] })).toMatchObject({
    answered: true,
    statements: [{ text: "Owls hunt." }],
    citations: [{ number: 1 }],
  });
});

test("the whole answer counts for more than its parts", () => {
  const whole = { answer: { answered: false, shortfallReason: "Nothing." } };
  const reply = { ...asked, parts: [sources, statement, whole] };

  expect([isWhole(reply), taken(reply)]).toEqual([true, whole.answer]);
});
