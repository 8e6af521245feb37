import { beforeEach, expect, test } from "vitest";
import { drop, keep, presets } from "./presets.ts";

class Kept implements Storage {
  [name: string]: unknown;
  private readonly all = new Map<string, string>();
  get length() {
    return this.all.size;
  }
  clear() {
    this.all.clear();
  }
  getItem(key: string) {
    return this.all.get(key) ?? null;
  }
  key() {
    return null;
  }
  removeItem(key: string) {
    this.all.delete(key);
  }
  setItem(key: string, value: string) {
    this.all.set(key, value);
  }
}

const NEW = { name: "the new first", recipe: "fresh", weights: { delta: 3 } };
let storage: Kept;
beforeEach(() => {
  storage = new Kept();
});

test("a preset is kept under its name, and replaces the one that had it", () => {
  keep(NEW, storage);
  keep({ ...NEW, name: "links", recipe: "graph" }, storage);
  keep({ ...NEW, name: " the new first ", weights: { delta: 2 } }, storage);

  expect(presets(storage).map((one) => [one.name, one.weights.delta])).toEqual([
    ["links", 3],
    ["the new first", 2],
  ]);
  expect(drop("links", storage).map((one) => one.name)).toEqual(["the new first"]);
});

test("what somebody else wrote there is no preset", () => {
  const wrong = [
    NEW,
    null,
    { ...NEW, weights: { delta: "3" } },
    { ...NEW, weights: { epsilon: 1 } },
    { name: "a" },
  ];
  storage.setItem("scops.presets", JSON.stringify(wrong));

  expect(presets(storage)).toEqual([NEW]);
  storage.setItem("scops.presets", "{");
  expect(presets(storage)).toEqual([]);
});

test("fifty presets are kept", () => {
  for (let number = 0; number < 60; number++) keep({ ...NEW, name: `${number}` }, storage);

  expect(presets(storage)).toHaveLength(50);
  expect(presets(storage)[0]?.name).toBe("10");
});
