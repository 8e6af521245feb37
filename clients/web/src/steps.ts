import { type RefObject, useCallback, useEffect } from "react";
import { isTyping } from "./keys.ts";

/** What marks an element that one steps to. */
const STEP = "[data-step]";
const ONWARDS = new Set(["j", "n"]);
const BACK = new Set(["k", "p"]);

/** Returns where a step leads from a place in a list, -1 being before it; it stays in the list. */
export function placeAfter(at: number, by: 1 | -1, length: number): number {
  if (at < 0) return by > 0 || length === 0 ? 0 : length - 1;
  return Math.max(0, Math.min(length - 1, at + by));
}

/** Returns which way a key steps; arrows only where the focus is on a step already. */
export function stepOf(key: string, isOnStep: boolean): 1 | -1 | undefined {
  if (ONWARDS.has(key) || (isOnStep && key === "ArrowDown")) return 1;
  if (BACK.has(key) || (isOnStep && key === "ArrowUp")) return -1;
  return undefined;
}

/** Returns what one steps to below an element. */
export function stepsOf(below: HTMLElement | null): HTMLElement[] {
  return [...(below?.querySelectorAll<HTMLElement>(STEP) ?? [])];
}

/** Brings a step into view; one steps on from it. */
export function show(steps: HTMLElement[], shown: HTMLElement | undefined): void {
  for (const one of steps) one.dataset.step = one === shown ? "last" : "";
  shown?.scrollIntoView({ block: "center" });
}

/** Moves the focus between the steps below an element, by keys and by what it returns. */
export function useSteps(below: RefObject<HTMLElement | null>): (by: 1 | -1) => void {
  const step = useCallback(
    (by: 1 | -1) => {
      const steps = stepsOf(below.current);
      const at = steps.findIndex((one) => one.contains(document.activeElement));
      const shown = at >= 0 ? at : steps.findIndex((one) => one.dataset.step === "last");
      const next = steps[placeAfter(shown, by, steps.length)];
      next?.focus({ preventScroll: true });
      show(steps, next);
    },
    [below],
  );
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) return;
      const isOnStep = document.activeElement?.closest(STEP) !== null;
      const by = stepOf(event.key, isOnStep && below.current !== null);
      if (by === undefined) return;
      event.preventDefault();
      step(by);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [below, step]);
  return step;
}
