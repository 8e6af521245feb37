import type { Api } from "./client.ts";
import { Problem, problemOf } from "./problem.ts";
import type { AnswerPart } from "./values.ts";

/** Characters of one event; a stream that sends more is no stream of ours. */
const EVENT_CHARACTERS_MAX = 16_000_000;
const END = "end";
const PROBLEM = "problem";

interface Question {
  query: string;
  scopes: string[];
}

/** Asks, and tells the answer part by part: sources, statements, and the whole at last. */
export async function* answerParts(
  api: Api,
  asked: Question,
  signal?: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const { data, error } = await api.POST("/v1/answer:stream", {
    body: asked,
    parseAs: "stream",
    ...(signal ? { signal } : {}),
  });
  if (!data) throw problemOf(error);
  for await (const { name, data: said } of events(data as ReadableStream<Uint8Array>)) {
    if (name === END) return;
    if (name === PROBLEM) throw problemOf(JSON.parse(said));
    yield JSON.parse(said) as AnswerPart;
  }
  throw new Problem("The answer broke off. Ask again.", "STREAM_BROKEN");
}

/** Reads Server-Sent Events, as far as the gateway writes them: names, and data of one line. */
export async function* events(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<{ name: string; data: string }> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += decoder.decode(value, { stream: true });
      const whole = waiting.split("\n\n");
      waiting = whole.pop() ?? "";
      if (waiting.length > EVENT_CHARACTERS_MAX) {
        throw new Problem("The server sends no end of an event.", "RESPONSE_UNREADABLE");
      }
      for (const event of whole) {
        const fields = fieldsOf(event);
        if (fields.data) yield { name: fields.event ?? "", data: fields.data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function fieldsOf(event: string): Record<string, string> {
  const lines = event.split("\n").filter((line) => !line.startsWith(":"));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trimStart()];
    }),
  );
}
