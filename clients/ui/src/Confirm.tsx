import { useEffect, useRef, useState } from "react";

interface ConfirmProps {
  /** What the button says, and the deed once more where one is asked. */
  label: string;
  /** Names what it is about, for who does not see the row. */
  about?: string;
  /** What is asked before. */
  question: string;
  keep: string;
  disabled?: boolean;
  onConfirm: () => void;
}

/** A deed that cannot be undone: it is asked once whether it is meant. */
export function Confirm({ label, about, question, keep, disabled, onConfirm }: ConfirmProps) {
  const [isAsked, setAsked] = useState(false);
  const first = useRef<HTMLButtonElement>(null);
  const back = useRef(false);
  useEffect(() => {
    // The focus stays where the reader is: on the question, and on the button after it.
    if (isAsked || back.current) first.current?.focus();
    back.current = isAsked;
  }, [isAsked]);
  if (!isAsked) {
    return (
      <button
        ref={first}
        type="button"
        className="button"
        data-size="small"
        disabled={disabled}
        aria-label={about}
        onClick={() => setAsked(true)}
      >
        {label}
      </button>
    );
  }
  return (
    <fieldset
      className="confirm"
      onKeyDown={(event) => {
        if (event.key === "Escape") setAsked(false);
      }}
    >
      <legend className="small">{question}</legend>
      <button
        ref={first}
        type="button"
        className="button"
        data-size="small"
        onClick={() => setAsked(false)}
      >
        {keep}
      </button>
      <button
        type="button"
        className="button"
        data-size="small"
        data-kind="danger"
        onClick={() => {
          setAsked(false);
          onConfirm();
        }}
      >
        {label}
      </button>
    </fieldset>
  );
}
