import { expect, test } from "vitest";
import { messagesOf } from "./index.ts";

const ENGLISH = messagesOf("en");

/** What it shares with the web page, whose test holds the languages to each other. */
const SHARED = /^\.(told|kinds|endings)\./;

/** Its own texts. */
function own(language: string): [string, string][] {
  return texts(messagesOf(language)).filter(([path]) => !SHARED.test(path));
}

/** Texts by the path that leads to them; what counts is called with numbers. */
function texts(said: object, path = ""): [string, string][] {
  return Object.entries(said).flatMap(([key, value]) => {
    const at = `${path}.${key}`;
    if (typeof value === "function") return [[at, String(value(2, 3, "current"))]];
    return typeof value === "object" ? texts(value, at) : [[at, String(value)]];
  });
}

test.each(["de", "fr-CA", "es-419"])(
  "everything is said in %s, nothing of it in English",
  (one) => {
    const english = new Map(own("en"));
    const same = own(one).filter(
      ([path, text]) => english.get(path) === text && text.includes(" "),
    );

    expect(own(one).map(([path]) => path)).toEqual([...english.keys()]);
    expect(same).toEqual([]);
  },
);

test("a language that there is none of is English", () => {
  expect(messagesOf("tlh")).toBe(ENGLISH);
});

test("one and many are told apart", () => {
  expect([1, 2].map((count) => messagesOf("de").add.go(count))).toEqual([
    "1 Seite hinzufügen",
    "2 Seiten hinzufügen",
  ]);
});
