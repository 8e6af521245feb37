import { expect, test } from "vitest";
import { definitionOf, draftFrom } from "./definition.ts";
import { draftOf } from "./draft.ts";

const SCOPE = {
  name: "scopes/manual",
  rules: [
    { kind: "KIND_PREFIX", pattern: "docs.example.org/manual" },
    { kind: "KIND_REGEX", pattern: "https://docs\\.example\\.org/.*:print", exclude: true },
  ] as never,
  seeds: ["https://docs.example.org/manual/"],
  sitemaps: ["https://docs.example.org/sitemap.xml"],
  pageLimit: 500,
};

test("a definition is written as scops apply reads it, and read again as it was", () => {
  const [written] = JSON.parse(definitionOf(SCOPE));

  expect(written).toEqual({
    name: "manual",
    seeds: SCOPE.seeds,
    sitemaps: SCOPE.sitemaps,
    include: ["prefix:docs.example.org/manual"],
    exclude: ["regex:https://docs\\.example\\.org/.*:print"],
    page_limit: 500,
  });
  expect(draftFrom(definitionOf(SCOPE))).toEqual(draftOf(SCOPE));
});

test.each([
  "no definition",
  "[]",
  '{"seeds": []}',
  '[{"include": "prefix:a"}]',
  '[{"include": ["odd:a.example"]}]',
  '[{"include": ["prefix:"]}]',
  '[{"include": [], "seeds": [1]}]',
])("%s is no definition", (text) => {
  expect(draftFrom(text)).toBeUndefined();
});
