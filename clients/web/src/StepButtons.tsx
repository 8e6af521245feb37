import { ChevronDown, ChevronUp } from "lucide-react";

interface StepButtonsProps {
  previous: string;
  next: string;
  onStep: (by: 1 | -1) => void;
}

/** Steps to what comes before or after, as the keys do. */
export function StepButtons({ previous, next, onStep }: StepButtonsProps) {
  return (
    <>
      <button
        type="button"
        className="button"
        data-size="small"
        aria-label={previous}
        aria-keyshortcuts="k p"
        onClick={() => onStep(-1)}
      >
        <ChevronUp className="icon icon-small" aria-hidden="true" />
      </button>
      <button
        type="button"
        className="button"
        data-size="small"
        aria-label={next}
        aria-keyshortcuts="j n"
        onClick={() => onStep(1)}
      >
        <ChevronDown className="icon icon-small" aria-hidden="true" />
      </button>
    </>
  );
}
