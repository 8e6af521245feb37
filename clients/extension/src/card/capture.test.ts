import { expect, test } from "vitest";
import { base64, sizeOf } from "./capture.ts";

test("a long text of any script survives base64", () => {
  const text = "Zürich 東京 🦉 ".repeat(5_000);
  const bytes = Uint8Array.from(atob(base64(text)), (one) => one.charCodeAt(0));

  expect(new TextDecoder().decode(bytes)).toBe(text);
});

test("sizes are read as people say them", () => {
  expect([420, 34_200, 2_340_000].map((size) => sizeOf(size, "en-GB"))).toEqual([
    "0.42 kB",
    "34 kB",
    "2.3 MB",
  ]);
});
