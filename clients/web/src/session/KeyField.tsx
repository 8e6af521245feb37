import { useId } from "react";
import { say } from "../messages/index.ts";

/** Where a key is entered, and what is said of it. */
export function KeyField({
  value,
  wasRefused,
  onChange,
  isLarge = false,
}: {
  value: string;
  wasRefused: boolean;
  onChange: (key: string) => void;
  isLarge?: boolean;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{say.session.key}</label>
      <input
        id={id}
        className="input"
        data-size={isLarge ? "large" : undefined}
        data-voice="address"
        type="password"
        autoComplete="off"
        value={value}
        aria-invalid={wasRefused}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-hint`} className={wasRefused ? "field-error" : "field-hint"}>
        {wasRefused ? say.session.refused : say.session.hint}
      </span>
    </div>
  );
}
