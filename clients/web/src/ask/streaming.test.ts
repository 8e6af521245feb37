import { connect } from "@scops/api";
import { afterEach, expect, test, vi } from "vitest";
import { type AnswerPart, answerParts, events } from "./streaming.ts";

afterEach(() => vi.unstubAllGlobals());

const bytes = new TextEncoder();

function stream(...pieces: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(bytes.encode(piece));
      controller.close();
    },
  });
}

async function parts(...pieces: string[]): Promise<AnswerPart[]> {
  const headers = { "content-type": "text/event-stream" };
  vi.stubGlobal("fetch", async () => new Response(stream(...pieces), { headers }));
  const told: AnswerPart[] = [];
  const api = connect("", "http://gateway.example");
  for await (const part of answerParts(api, { query: "q", scopes: ["*"] })) told.push(part);
  return told;
}

test("events come whole, however they were cut on the way, and comments are none", async () => {
  const found = [];
  for await (const event of events(
    stream(": ping\n\nevent: sour", 'ces\ndata: {"a', '": "ö"}\n', "\nevent: end\ndata: {}\n\n"),
  )) {
    found.push(event);
  }

  expect(found).toEqual([
    { name: "sources", data: '{"a": "ö"}' },
    { name: "end", data: "{}" },
  ]);
});

test("an answer comes part by part, the whole one last", async () => {
  const told = await parts(
    'event: sources\ndata: {"sources": {"passages": []}}\n\n',
    'event: answer\ndata: {"answer": {"answered": true}}\n\nevent: end\ndata: {}\n\n',
  );

  expect(told).toEqual([{ sources: { passages: [] } }, { answer: { answered: true } }]);
});

test("a problem on the way is thrown with its reason", async () => {
  const said = 'event: problem\ndata: {"detail": "No.", "reason": "CHAT_FULL", "status": 429}\n\n';

  await expect(parts(said)).rejects.toMatchObject({ message: "No.", reason: "CHAT_FULL" });
});

test("a stream that ends before its answer broke off", async () => {
  await expect(parts('event: sources\ndata: {"sources": {}}\n\n')).rejects.toMatchObject({
    reason: "STREAM_BROKEN_OFF",
  });
});
