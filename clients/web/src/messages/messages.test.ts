import { Problem } from "@scops/api";
import { inEnglish, problemTold, remarksOf, ruleErrorTold } from "@scops/ui";
import { expect, test } from "vitest";
import reference from "../../../../docs/reference/errors.md?raw";
import faults from "../../../../services/common/scops/common/scope/rule_faults.py?raw";
import remarks from "../../../../services/common/scops/common/text/remarks.py?raw";
import { messagesOf } from "./index.ts";
import { LANGUAGES, type Language, languageOf } from "./language.ts";

const ENGLISH = messagesOf("en");
const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== "en");
/** Reasons that a client gives itself. */
const OF_CLIENTS = ["SERVER_UNREACHABLE", "RESPONSE_UNREADABLE", "STREAM_BROKEN_OFF"];
/** Words that are the same as in English. */
const SAME: Record<string, string[]> = {
  de: ["in", "v", "chats", "link", "revision", "scope", "scopes", "sitemaps"],
  fr: [
    "v",
    "expression",
    "glob",
    "page",
    "pages",
    "passage",
    "question",
    "questions",
    "score",
    "versions",
  ],
  es: ["v", "editor", "glob", "vector"],
};

/** Texts by the path that leads to them; what takes arguments is called with marks for them. */
function texts(said: object, path = ""): [string, string][] {
  return Object.entries(said).flatMap(([key, value]) => {
    const at = `${path}.${key}`;
    if (typeof value === "function") return [[at, String(value(2, 3, "current"))]];
    return typeof value === "object" ? texts(value, at) : [[at, String(value)]];
  });
}

/** A text without what it was called with, and without what is no word. */
function word(text: string): string {
  return text
    .replace(/[^\p{L} ]/gu, "")
    .trim()
    .toLowerCase();
}

/** What the server tells is in the files of other languages alone. */
function ours(language: Language): Map<string, string> {
  const all = texts(messagesOf(language));
  return new Map(all.filter(([path]) => !/^\.told\.(remarks|problems|ruleFaults)\./.test(path)));
}

test.each(OTHERS)("everything is said in %s, nothing of it in English", (language) => {
  const english = ours("en");
  const said = ours(language);
  const isSame = (path: string, text: string) =>
    /^\.keyRows\.\d+\.0$/.test(path) || SAME[language]?.includes(text);
  const same = [...said].filter(
    ([path, text]) => english.get(path) === text && !isSame(path, word(text)),
  );

  expect([...said.keys()].sort()).toEqual([...english.keys()].sort());
  expect(same).toEqual([]);
});

test.each(OTHERS)("what takes arguments says them in %s", (language) => {
  const digits = (text: string) => (text.match(/\d+/g) ?? []).sort();
  const english = ours("en");
  const wrong = [...ours(language)].filter(
    ([path, text]) => digits(text).join() !== digits(english.get(path) ?? "").join(),
  );

  expect(wrong).toEqual([]);
});

test.each(OTHERS)("each remark of the server is said in %s, with its arguments", (language) => {
  const written = sentencesOfServer();
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();
  const said = messagesOf(language).told.remarks;

  expect(Object.keys(said).sort()).toEqual([...written.keys()].sort());
  for (const [code, english] of written) expect(names(said[code] ?? "")).toEqual(names(english));
});

test.each(OTHERS)("each fault of a rule is said in %s, with its detail", (language) => {
  const codes = new Map(
    [...faults.matchAll(/^ {4}(\w+) = "(\w+)"$/gm)].map((match) => [match[1], match[2]]),
  );
  const written = [...faults.matchAll(/RuleFault\.(\w+): ((?:[^"]*?"[^"]*")+?),\n/g)];
  const hasDetail = new Map(
    written.map(([, name = "", words = ""]) => [codes.get(name), words.includes("{detail}")]),
  );
  const said = Object.entries(messagesOf(language).told.ruleFaults);

  expect(new Map(said.map(([code, words]) => [code, words.includes("{detail}")]))).toEqual(
    hasDetail,
  );
});

test("a rule's fault is said with its pattern; an unknown code as the server said it", () => {
  const facts = { pattern: "a/$&", fault: "expression_unreadable", detail: "missing $&" };
  const refused = new Problem("Said.", "MALFORMED_RULE", 400, undefined, facts);

  expect(problemTold(refused, messagesOf("de"))).toEqual({
    text: "Die Regel „a/$&“ ist nicht zu gebrauchen: Der Ausdruck ist nicht zu lesen (missing $&).",
  });
  expect(ruleErrorTold({ code: "of_tomorrow" }, "Said.", messagesOf("fr"))).toEqual({
    text: "Said.",
    lang: "en",
  });
  expect(problemTold(refused, ENGLISH)).toEqual({ text: "Said." });
});

test.each(OTHERS)("problems in %s are those of the server or of a client", (language) => {
  const known = [...reference.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1]);
  const said = Object.keys(messagesOf(language).told.problems);

  expect(said.filter((one) => !known.includes(one) && !OF_CLIENTS.includes(one))).toEqual([]);
  expect(said).toEqual(Object.keys(messagesOf("de").told.problems));
});

test.each([
  [null, ["fr-CA", "en"], "fr"],
  ["es", ["de"], "es"],
  [null, ["tlh", "de-AT"], "de"],
  ["tlh", [], "en"],
] as const)("chosen %s and wanted %s it is %s", (chosen, wanted, language) => {
  expect(languageOf(chosen, wanted)).toBe(language);
});

test("one and many are told apart", () => {
  expect([1, 2].map((count) => messagesOf("de").chats.turns(count))).toEqual([
    "1 Frage",
    "2 Fragen",
  ]);
});

test("a remark is said with its arguments; an unknown code as the server said it", () => {
  const known = { code: "no_more", arguments: [{ name: "returned", value: "3" }] };
  const limit = { name: "limit", value: "10" };
  const told = remarksOf(
    [{ ...known, arguments: [...known.arguments, limit] }],
    "Only 3.",
    messagesOf("de"),
  );

  expect(told.text).toMatch(/^Nur 3 von 10 Textstellen/);
  expect(remarksOf([{ code: "of_tomorrow" }], "Said.", messagesOf("de"))).toEqual({
    text: "Said.",
    lang: "en",
  });
  expect(inEnglish("Said.", ENGLISH)).toEqual({ text: "Said." });
});

test("a problem without words is told as the server said it", () => {
  expect(problemTold(new Error("Odd."), messagesOf("fr"))).toEqual({ text: "Odd.", lang: "en" });
});

/** The English of each remark, as the server writes it. */
function sentencesOfServer(): Map<string, string> {
  const codes = new Map(
    [...remarks.matchAll(/^ {4}(\w+) = "(\w+)"$/gm)].map((match) => [match[1], match[2]]),
  );
  const only = /^_ONLY = "(.*)"$/m.exec(remarks)?.[1] ?? "";
  const written = [...remarks.matchAll(/RemarkCode\.(\w+): ([^:]*?"(?:[^"\\]|\\.)*"[^:]*?),\n/g)];
  return new Map(
    written.map(([, name, body]) => {
      const strings = [...(body ?? "").matchAll(/"([^"]*)"/g)].map((match) => match[1]).join("");
      return [codes.get(name) ?? "", (body?.startsWith("_ONLY") ? only : "") + strings];
    }),
  );
}
