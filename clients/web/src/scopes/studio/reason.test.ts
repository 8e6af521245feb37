import { expect, test } from "vitest";
import { messagesOf } from "../../messages/index.ts";
import { reasonTold } from "./reason.ts";

const GERMAN = messagesOf("de").studio;

test.each([
  ["1", "created", "Angelegt"],
  ["4", "back to revision 2", "Zurück zu Revision 2"],
  ["4", "created", "created"],
  ["4", "back to revision two", "back to revision two"],
])("revision %s, because: %s", (revision, reason, told) => {
  expect(reasonTold({ scope: { revision }, reason }, GERMAN)).toBe(told);
});

test("what gives no reason tells none", () => {
  expect(reasonTold({}, GERMAN)).toBe("");
});
