import { expect, test } from "vitest";
import { pageOf } from "./address.ts";

test.each([
  ["https://a.example/x?y=1#part", "https://a.example/x?y=1"],
  ["https://a.example/#/plan", "https://a.example/#/plan"],
  ["https://a.example/#!/plan/fees?of=5", "https://a.example/#!/plan/fees?of=5"],
  ["https://a.example/#!plan", "https://a.example/#!plan"],
  ["https://a.example/#/plan#fees", "https://a.example/#/plan"],
  ["https://a.example/#/plan:~:text=fee", "https://a.example/#/plan"],
  ["https://a.example/#/", "https://a.example/"],
  ["https://a.example/#!/", "https://a.example/"],
  ["about:blank#/plan", ""],
])("the page at %s", (url, page) => {
  expect(pageOf(url)).toBe(page);
});
