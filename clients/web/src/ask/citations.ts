import type { Answer, Citation, Turn } from "@scops/api";
import type { AskedTurn } from "./conversation.ts";

/** Turns that a model is told of; older ones are left out. */
const HISTORY_MAX = 6;

/** Returns the number of the citation that follows, or precedes, the one that is open. */
export function neighbour(answer: Answer, number: number, step: 1 | -1): number {
  const numbers = (answer.citations ?? []).map((citation) => citation.number ?? 0);
  const at = numbers.indexOf(number);
  return numbers[Math.min(Math.max(at + step, 0), numbers.length - 1)] ?? number;
}

/** Returns what was said before, oldest first, for a model that words the next answer. */
export function historyOf(turns: AskedTurn[]): Turn[] {
  return turns
    .filter((turn) => turn.answer?.answered)
    .slice(-HISTORY_MAX)
    .flatMap((turn) => [
      { speaker: "SPEAKER_USER", text: turn.query } as const,
      { speaker: "SPEAKER_ASSISTANT", text: textOf(turn.answer) } as const,
    ]);
}

/** Returns an answer as text with the address of each quote, to be pasted. */
export function quotable(answer: Answer): string {
  const sources = (answer.citations ?? []).map(
    (one) => `[${one.number}] ${one.title ?? ""} ${one.uri} (version ${one.version})`,
  );
  const statements = (answer.statements ?? []).map(
    (one) => `${one.text ?? ""} ${(one.citationNumbers ?? []).map((at) => `[${at}]`).join("")}`,
  );
  return [...statements, "", ...sources].join("\n");
}

/** Returns a quote with its page, address and version, to be pasted. */
export function quoted({ quote, title, uri, version }: Citation): string {
  return `“${quote ?? ""}” ${title ?? ""} ${uri} (version ${version})`;
}

function textOf(answer: Answer | undefined): string {
  return (answer?.statements ?? []).map((statement) => statement.text ?? "").join(" ");
}
