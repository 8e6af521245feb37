import { Problem, type Remark, type RemarkArgument, type RuleError } from "@scops/api";
import type { Words } from "./words.ts";

/** What the server told, and its language where that is not the reader's. */
export interface Told {
  text: string;
  lang?: "en";
  /** What the server said of it in English, where its code was said in the reader's language. */
  detail?: string;
}

/** Returns remarks in the reader's language; one of an unknown code is told as the server said it. */
export function remarksOf(remarks: readonly Remark[], english: string, words: Words): Told {
  const said = remarks.map(({ code, arguments: named }) => {
    const values = new Map((named ?? []).map((one) => [one.name, inWords(one, words)]));
    const sentence = words.told.remarks[code ?? ""];
    return sentence?.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? "");
  });
  if (said.length > 0 && said.every((one) => one !== undefined)) return { text: said.join(" ") };
  return inEnglish(english, words);
}

/** Returns an argument as it is said: parts of a score by their names, all else as it stands. */
function inWords({ name, value = "" }: RemarkArgument, { told }: Words): string {
  if (name === "part") return told.parts[value]?.[0] ?? value;
  if (name !== "ahead_by" && name !== "behind_by") return value;
  const parts = value.split(",").filter(Boolean);
  return parts.map((part) => told.parts[part]?.[1] ?? part).join(told.and) || told.nothingAhead;
}

/** Returns a problem in the reader's language, with the server's own words beside it. */
export function problemTold(problem: Error, words: Words): Told {
  const reason = problem instanceof Problem ? problem.reason : "";
  if (reason === "MALFORMED_RULE" && problem instanceof Problem) {
    const { pattern = "", fault = "", detail = "" } = problem.metadata;
    return ruleErrorTold({ pattern, code: fault, detail }, problem.message, words);
  }
  const text = words.told.problems[reason];
  return text ? { text, detail: problem.message } : inEnglish(problem.message, words);
}

/** Returns what is wrong with a rule in the reader's language; an unknown code as the server said it. */
export function ruleErrorTold(error: RuleError, english: string, words: Words): Told {
  const { ruleError, ruleFaults } = words.told;
  const why = ruleFaults[error.code ?? ""]?.replace("{detail}", () => error.detail ?? "");
  return why ? { text: ruleError(error.pattern ?? "", why) } : inEnglish(english, words);
}

/** Returns a sentence that the server tells in English alone. */
export function inEnglish(text: string, words: Words): Told {
  return isEnglish(words) ? { text } : { text, lang: "en" };
}

export function isEnglish(words: Words): boolean {
  return words.locale.startsWith("en");
}

/** Says what kind a change is of, and for which reasons; codes that have no words stand as they are. */
export function kindText(
  kind: string | undefined,
  reasons: readonly string[] | undefined,
  { kinds }: Words,
): string {
  const named = kind ? [kinds.classes[kind] ?? kind] : [];
  return [...named, ...(reasons ?? []).map((one) => kinds.reasons[one] ?? one)].join(": ");
}
