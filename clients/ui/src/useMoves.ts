import { useLayoutEffect, useRef } from "react";

const MOVES_MS = 220;
const EASE = "cubic-bezier(0.2, 0, 0, 1)";

/** Shows where rows went when their order changes; each row tells its key by `data-key`. */
export function useMoves<T extends HTMLElement>(order: string) {
  const body = useRef<T>(null);
  const tops = useRef(new Map<string, number>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move when their order changes.
  useLayoutEffect(() => {
    const rows = [...(body.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
    const now = new Map(rows.map((row) => [row.dataset.key ?? "", row.offsetTop]));
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const row of isStill ? [] : rows) {
      const stood = tops.current.get(row.dataset.key ?? "");
      const distance = stood === undefined ? 0 : stood - row.offsetTop;
      if (distance === 0) continue;
      const from = { transform: `translateY(${distance}px)` };
      row.animate([from, { transform: "none" }], { duration: MOVES_MS, easing: EASE });
    }
    tops.current = now;
  }, [order]);
  return body;
}
