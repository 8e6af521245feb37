import type { Answer, AnswerPart, Problem } from "@scops/api";

/** A question with what came of its answer so far. */
export interface Reply {
  query: string;
  scopes: string[];
  parts: AnswerPart[];
  isDone: boolean;
  problem?: Problem;
}

/** Returns the answer as far as it has come; the whole one once it is there. */
export function taken(reply: Reply): Answer {
  const whole = reply.parts.find((part) => part.answer)?.answer;
  if (whole) return whole;
  const told = reply.parts.flatMap((part) => (part.statement ? [part.statement] : []));
  return {
    answered: told.length > 0,
    statements: told.flatMap(({ statement }) => (statement ? [statement] : [])),
    citations: told.flatMap(({ citations }) => citations ?? []),
    passages: reply.parts.find((part) => part.sources)?.sources?.passages ?? [],
  };
}

/** Says whether the whole answer is there. */
export function isWhole(reply: Reply): boolean {
  return reply.parts.some((part) => part.answer);
}
