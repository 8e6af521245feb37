import { Problem, type Remark, type RemarkArgument } from "@scops/api";
import type { Messages } from "./en/index.ts";
import { say } from "./index.ts";

/** What the server told, and its language where that is not the reader's. */
export interface Told {
  text: string;
  lang?: "en";
  /** What the server said of it in English, where its code was said in the reader's language. */
  detail?: string;
}

/** Returns remarks in the reader's language; one of an unknown code is told as the server said it. */
export function remarksOf(
  remarks: readonly Remark[],
  english: string,
  messages: Messages = say,
): Told {
  const said = remarks.map(({ code, arguments: named }) => {
    const values = new Map((named ?? []).map((one) => [one.name, inWords(one, messages)]));
    const sentence = messages.told.remarks[code ?? ""];
    return sentence?.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? "");
  });
  if (said.length > 0 && said.every((one) => one !== undefined)) return { text: said.join(" ") };
  return inEnglish(english, messages);
}

/** Returns an argument as it is said: parts of a score by their names, all else as it stands. */
function inWords({ name, value = "" }: RemarkArgument, { told }: Messages): string {
  if (name === "part") return told.parts[value]?.[0] ?? value;
  if (name !== "ahead_by" && name !== "behind_by") return value;
  const parts = value.split(",").filter(Boolean);
  return parts.map((part) => told.parts[part]?.[1] ?? part).join(told.and) || told.nothingAhead;
}

/** Returns a problem in the reader's language, with the server's own words beside it. */
export function problemTold(problem: Error, messages: Messages = say): Told {
  const reason = problem instanceof Problem ? problem.reason : "";
  const text = messages.told.problems[reason];
  return text ? { text, detail: problem.message } : inEnglish(problem.message, messages);
}

/** Returns a sentence that the server tells in English alone. */
export function inEnglish(text: string, messages: Messages = say): Told {
  return isEnglish(messages) ? { text } : { text, lang: "en" };
}

export function isEnglish(messages: Messages = say): boolean {
  return messages.locale.startsWith("en");
}
