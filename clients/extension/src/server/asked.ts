import { Problem } from "@scops/api";
import { useCallback, useEffect, useRef, useState } from "react";

interface Asked<T> {
  data: T | undefined;
  problem: Problem | undefined;
  again: () => void;
}

/**
 * Asks the server for something, and anew whenever it is named differently.
 *
 * @param name of what is asked for; nothing is asked while it is empty.
 */
export function useAsked<T>(name: string, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [told, setTold] = useState<{ name: string; data?: T; problem?: Problem }>({ name: "" });
  const [times, setTimes] = useState(0);
  const asking = useRef(ask);
  asking.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asking again is what `times` is for.
  useEffect(() => {
    if (!name) return;
    const stopping = new AbortController();
    asking.current(stopping.signal).then(
      (data) => !stopping.signal.aborted && setTold({ name, data }),
      (error) => {
        if (stopping.signal.aborted) return;
        if (!(error instanceof Problem)) throw error;
        setTold({ name, problem: error });
      },
    );
    return () => stopping.abort();
  }, [name, times]);
  const again = useCallback(() => setTimes((before) => before + 1), []);
  const isOf = told.name === name;
  return { data: isOf ? told.data : undefined, problem: isOf ? told.problem : undefined, again };
}
