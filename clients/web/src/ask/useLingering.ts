import { useCallback, useEffect, useRef, useState } from "react";

/** Long enough to move the pointer from what shows it onto what is shown. */
const LINGER_MS = 250;

/**
 * What is shown while the pointer is on what shows it, or on itself.
 *
 * Returns it; a function that shows another one, or hides it in a moment; and one that keeps it
 * while the pointer is on it.
 */
export function useLingering<T>() {
  const [shown, setShown] = useState<T>();
  const leaving = useRef<number>(undefined);
  const show = useCallback((next: T | undefined) => {
    window.clearTimeout(leaving.current);
    if (next) setShown(next);
    else leaving.current = window.setTimeout(() => setShown(undefined), LINGER_MS);
  }, []);
  const hold = useCallback(
    (isHeld: boolean) => (isHeld ? window.clearTimeout(leaving.current) : show(undefined)),
    [show],
  );
  useEffect(() => () => window.clearTimeout(leaving.current), []);
  return [shown, show, hold] as const;
}
