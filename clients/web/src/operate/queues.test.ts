import { expect, test } from "vitest";
import { busy, owed } from "./queues.ts";

test("counts come as texts, and what waits longest stands first", () => {
  const queues = [
    { consumer: "indexer", pendingCount: "0", inHandCount: "2" },
    { consumer: "fetcher" },
    { consumer: "extractor", pendingCount: "40", inHandCount: "8" },
  ];

  expect(busy(queues).map((queue) => [queue.consumer, owed(queue)])).toEqual([
    ["extractor", 48],
    ["indexer", 2],
  ]);
});
