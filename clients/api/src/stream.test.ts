import { afterEach, expect, test, vi } from "vitest";
import { connect } from "./client.ts";
import { answerParts, events } from "./stream.ts";

afterEach(() => vi.unstubAllGlobals());

function streamed(...pieces: string[]): ReadableStream<Uint8Array> {
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
  return new ReadableStream({
    pull(controller) {
      const next = bytes.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
}

async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(part);
  return found;
}

function asked(...pieces: string[]) {
  const headers = { "content-type": "text/event-stream" };
  vi.stubGlobal("fetch", async () => new Response(streamed(...pieces), { headers }));
  return answerParts(connect("", "http://gateway"), { query: "?", scopes: ["*"] });
}

test("events are put together whatever pieces they come in, and signs of life are none", async () => {
  const stream = streamed(
    ":\n\nev",
    "ent: sources\nda",
    'ta: {"a":1}\n',
    "\nevent: end\ndata: {}\n\n",
  );

  expect(await all(events(stream))).toEqual([
    { name: "sources", data: '{"a":1}' },
    { name: "end", data: "{}" },
  ]);
});

test("a character that is cut in two is whole again", async () => {
  const [first, second] = [
    new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0xc3]),
    [0xbc, 0x0a, 0x0a],
  ];
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(first);
      controller.enqueue(new Uint8Array(second));
      controller.close();
    },
  });

  expect(await all(events(stream))).toEqual([{ name: "", data: "ü" }]);
});

test("parts are told until the end", async () => {
  const parts = asked('event: statement\ndata: {"statement":{}}\n\n', "event: end\ndata: {}\n\n");

  expect(await all(parts)).toEqual([{ statement: {} }]);
});

test("a stream that breaks off is a problem, with its reason where it says one", async () => {
  await expect(all(asked('event: answer\ndata: {"answer":{}}\n\n'))).rejects.toMatchObject({
    reason: "STREAM_BROKEN",
  });
  const problem = '{"detail":"Later.","reason":"GATEWAY_STOPPING","status":503}';
  await expect(all(asked(`event: problem\ndata: ${problem}\n\n`))).rejects.toMatchObject({
    reason: "GATEWAY_STOPPING",
  });
});
