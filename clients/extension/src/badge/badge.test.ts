import { expect, test, vi } from "vitest";
import { signOf } from "./badge.ts";

vi.mock("@wxt-dev/browser", () => ({ browser: {} }));

test("the three states differ by a sign, not by a colour alone", () => {
  const texts = (["indexed", "matched", "outside"] as const).map(
    (standing) => signOf({ standing, changes: 0 }).text,
  );

  expect(new Set(texts).size).toBe(3);
});

test("changes since one looked are counted, up to what a badge has room for", () => {
  expect(signOf({ standing: "indexed", changes: 1 }).text).toBe("1");
  expect(signOf({ standing: "gone", changes: 1234 }).text).toBe("99");
});
