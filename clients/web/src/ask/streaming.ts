import {
  type Answer,
  type AnswerSources,
  type AnswerStatement,
  type Api,
  Problem,
  problemOf,
  read,
  type Turn,
} from "@scops/api";

/** A part of an answer; one of them is set. */
export interface AnswerPart {
  sources?: AnswerSources;
  statement?: AnswerStatement;
  answer?: Answer;
}

export interface Question {
  query: string;
  scopes: string[];
  asOfTime?: string;
  history?: Turn[];
  chat?: string;
}

/** Longest event that is waited for whole; no answer is as long. */
const EVENT_CHARACTERS_MAX = 8_000_000;

/** Answers part by part: what was found first, then each statement, and the whole answer last. */
export async function* answerParts(api: Api, body: Question): AsyncGenerator<AnswerPart> {
  const call = api.POST("/v1/answer:stream", { body, parseAs: "stream" });
  const stream = (await read(call)) as ReadableStream<Uint8Array> | null;
  if (!stream) throw brokenOff();
  let isWhole = false;
  for await (const { name, data } of events(stream)) {
    if (name === "problem") throw problemOf(JSON.parse(data));
    if (name === "end") break;
    const part = JSON.parse(data) as AnswerPart;
    isWhole ||= part.answer !== undefined;
    yield part;
  }
  if (!isWhole) throw brokenOff();
}

/** Yields the events of a stream as they come (Server-Sent Events); comments are left out. */
export async function* events(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ name: string; data: string }> {
  const reader = stream.pipeThrough(new TextDecoderStream() as never).getReader();
  let held = "";
  try {
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: string };
      held += value ?? "";
      if (held.length > EVENT_CHARACTERS_MAX) throw brokenOff();
      const whole = held.split("\n\n");
      held = whole.pop() ?? "";
      for (const event of whole) {
        const lines = event.split("\n");
        const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
        if (data.length === 0) continue;
        const name = lines.find((line) => line.startsWith("event: "))?.slice(7) ?? "";
        yield { name, data: data.join("\n") };
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function brokenOff(): Problem {
  return new Problem("The answer broke off.", "STREAM_BROKEN_OFF");
}
