import { expect, test } from "vitest";
import { hostsOf, hostsWritten, isAmong } from "./hosts.ts";

test("the hosts of rules are read off every kind of rule", () => {
  const rules = [
    { kind: "KIND_PREFIX", pattern: "docs.example.org/guide" },
    { kind: "KIND_GLOB", pattern: "*.Example.org/**" },
    { kind: "KIND_REGEX", pattern: "https://laws\\.example\\.org/v\\d+/.*" },
    { kind: "KIND_PAGE", pattern: "https://a.example:8443/page?x=1" },
    { kind: "KIND_PREFIX", pattern: "out.example.org", exclude: true },
  ] as const;

  expect(hostsOf([...rules])).toEqual([
    "*.example.org",
    "a.example:8443",
    "docs.example.org",
    "laws.example.org",
  ]);
});

test("a rule whose host cannot be read has every page asked about", () => {
  const hosts = hostsOf([{ kind: "KIND_REGEX", pattern: "https://(a|b)\\.example/.*" }]);

  expect(hosts).toEqual(["*"]);
  expect(isAmong("any.test", hosts)).toBe(true);
});

test.each([
  ["www.example.org", true],
  ["example.org", false],
  ["evilexample.org", false],
])("%s is below *.example.org: %s", (host, isIt) => {
  expect(isAmong(host, ["*.example.org"])).toBe(isIt);
});

test("hosts are written in lines or with commas, with or without what surrounds them", () => {
  expect(hostsWritten("bank.example, https://Mail.example/inbox\n*.clinic.example\n")).toEqual([
    "bank.example",
    "mail.example",
    "*.clinic.example",
  ]);
});
