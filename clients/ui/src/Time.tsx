import { useEffect, useState } from "react";
import { exact, relative, shownLocale } from "./format.ts";

const TICK_MS = 30_000;

/** An instant as people say it in the language of the document, with the exact one beside it. */
export function Time({ at }: { at: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const instant = new Date(at);
  const locale = shownLocale();
  const latest = instant > now ? instant : now;
  return (
    <time dateTime={at} title={exact(instant, locale)}>
      {relative(instant, latest, locale)}
    </time>
  );
}
