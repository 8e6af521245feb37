import { expect, test, vi } from "vitest";
import { connectTo, hostPattern, serverOf } from "./server.ts";

vi.mock("@wxt-dev/browser", () => ({ browser: {} }));

test.each([
  ["http://127.0.0.1:7301/", "http://127.0.0.1:7301"],
  ["http://localhost:7301/ask?q=1", "http://localhost:7301"],
  ["scops.example.org", "https://scops.example.org"],
  [" https://Scops.example.org/scopes ", "https://scops.example.org"],
])("%j is the server %s", (typed, url) => {
  expect(serverOf(typed)).toBe(url);
});

test.each([
  "",
  "http://scops.example.org",
  "http://127.0.0.1.evil.test",
  "https://me@a.test",
  "x y",
])("%j is no server that a key may be sent to", (typed) => {
  expect(serverOf(typed)).toBeUndefined();
});

test("access to a host is asked for without its port", () => {
  expect(hostPattern("http://127.0.0.1:7301")).toBe("http://127.0.0.1/*");
});

test("each call says that it is an extension's, and carries the key", async () => {
  const seen: Request[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    seen.push(request);
    return new Response("{}", { headers: { "content-type": "application/json" } });
  });
  await connectTo({ url: "http://gateway", key: "sk_1" }).GET("/v1/me");

  expect(seen[0]?.headers.get("x-scops-extension")).toBe("1");
  expect(seen[0]?.headers.get("authorization")).toBe("Bearer sk_1");
});
