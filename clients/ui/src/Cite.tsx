export type CiteState = "current" | "risky" | "superseded" | "gone";

interface CiteProps {
  number: number;
  label: string;
  state: CiteState;
  isOpen: boolean;
  onOpen: () => void;
  onShow: (marker: HTMLElement | null) => void;
  describedBy?: string | undefined;
}

/** A citation's marker: hover or focus shows the quote, pressing opens its page. */
export function Cite({ number, label, state, isOpen, onOpen, onShow, describedBy }: CiteProps) {
  return (
    <button
      type="button"
      className="cite"
      data-state={state === "current" ? undefined : state}
      data-open={isOpen}
      aria-label={label}
      aria-describedby={describedBy}
      onClick={() => {
        onShow(null);
        onOpen();
      }}
      onMouseEnter={(event) => onShow(event.currentTarget)}
      onMouseLeave={() => onShow(null)}
      onFocus={(event) => {
        if (event.currentTarget.matches(":focus-visible")) onShow(event.currentTarget);
      }}
      onBlur={() => onShow(null)}
    >
      {number}
    </button>
  );
}
