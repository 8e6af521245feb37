import { Said } from "@scops/ui";
import { memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { AskedTurn } from "./conversation.ts";
import { TurnView, type TurnViewProps } from "./TurnView.tsx";

/** Turns at the end of a chat that are drawn at once. */
const DRAWN = 4;
/** How far from what is seen a turn is drawn. */
const NEAR = "1200px 0px";

interface TurnsProps extends Omit<TurnViewProps, "turn" | "opened"> {
  turns: AskedTurn[];
  opened: { turn: string; number: number } | undefined;
}

/** The turns of a chat, begun at its newest question; old ones are drawn as one comes near them. */
export function Turns({ turns, opened, ...rest }: TurnsProps) {
  const list = useRef<HTMLDivElement>(null);
  const newest = turns.at(-1)?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another newest question is scrolled to.
  useLayoutEffect(() => {
    if (turns.length > 1) list.current?.lastElementChild?.scrollIntoView({ block: "start" });
  }, [newest]);
  return (
    <div ref={list}>
      {turns.map((turn, place) => (
        <Turn
          key={turn.id}
          turn={turn}
          opened={opened?.turn === turn.id ? opened.number : undefined}
          isNew={place >= turns.length - DRAWN}
          {...rest}
        />
      ))}
    </div>
  );
}

/** A turn that is drawn once it is near what is seen; before, its words alone. */
const Turn = memo(function Turn({ isNew, ...props }: TurnViewProps & { isNew: boolean }) {
  const { turn } = props;
  const [isDrawn, setDrawn] = useState(isNew);
  const words = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isDrawn || !words.current) return;
    const observer = new IntersectionObserver(
      (seen) => setDrawn(seen.some((one) => one.isIntersecting)),
      { rootMargin: NEAR, scrollMargin: NEAR } as IntersectionObserverInit,
    );
    observer.observe(words.current);
    return () => observer.disconnect();
  }, [isDrawn]);
  if (isDrawn) return <TurnView {...props} />;
  return (
    <article className="turn" aria-labelledby={turn.id} ref={words}>
      <h2 id={turn.id} dir="auto">
        {turn.query}
      </h2>
      <div className="statements said said-large">
        {(turn.answer?.statements ?? []).map((statement) => (
          <p key={`${statement.citationNumbers}${statement.text}`} dir="auto">
            <Said {...statement} />
          </p>
        ))}
      </div>
    </article>
  );
});
