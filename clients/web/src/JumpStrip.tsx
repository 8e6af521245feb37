import { type RefObject, useEffect, useState } from "react";
import { type Jump, placeByKey } from "./jumps.ts";
import { show, stepsOf } from "./steps.ts";

/** What the lightest mark is wide, and what weight adds, in per cent of the strip. */
const NARROWEST = 30;
const BY_WEIGHT = 70;
const MARK_PX = 4;

interface JumpStripProps {
  label: string;
  jumps: Jump[];
  /** What holds the places, in the order of the marks, as steps. */
  below: RefObject<HTMLElement | null>;
}

/**
 * A strip with a mark for each place, as wide as it weighs; a press or an arrow jumps there.
 *
 * To the keyboard and to screen readers it is one slider, which keeps the focus while one jumps.
 */
export function JumpStrip({ label, jumps, below }: JumpStripProps) {
  const [at, setAt] = useState(0);
  const last = jumps.length - 1;
  const shown = Math.min(at, last);
  useEffect(() => {
    const holder = below.current;
    const follow = (event: FocusEvent) => {
      const target = event.target;
      const place = stepsOf(holder).findIndex(
        (one) => target instanceof Node && one.contains(target),
      );
      if (place >= 0) setAt(place);
    };
    holder?.addEventListener("focusin", follow);
    return () => holder?.removeEventListener("focusin", follow);
  }, [below]);
  if (jumps.length < 2) return null;
  const jump = (place: number) => {
    setAt(place);
    const steps = stepsOf(below.current);
    show(steps, steps[place]);
  };
  return (
    <div className="jumps">
      <svg aria-hidden="true">
        {jumps.map(({ name, kind, weight }, place) => (
          <rect
            key={name}
            data-kind={kind}
            data-shown={place === shown || undefined}
            x="0"
            y={`${(100 * place) / last}%`}
            width={`${NARROWEST + BY_WEIGHT * weight}%`}
            height={MARK_PX}
          />
        ))}
      </svg>
      <input
        type="range"
        min="0"
        max={last}
        step="1"
        value={shown}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuetext={jumps[shown]?.name}
        onChange={(event) => jump(Number(event.target.value))}
        // Also where the mark is the one that is shown already.
        onClick={() => jump(shown)}
        onKeyDown={(event) => {
          const place = placeByKey(event.key, shown, jumps.length);
          if (place === undefined) return;
          event.preventDefault();
          jump(place);
        }}
      />
    </div>
  );
}
