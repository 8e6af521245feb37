import { useId } from "react";

const PER_DAY_MIN = -1;
const PER_DAY_MAX = 1_000_000;

interface PerDayFieldProps {
  label: string;
  hint: string;
  value: number;
  readOnly: boolean;
  onChange: (perDay: number) => void;
}

/** So many a day: 0 for what is usual, -1 for none. */
export function PerDayField({ label, hint, value, readOnly, onChange }: PerDayFieldProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="number"
        min={PER_DAY_MIN}
        max={PER_DAY_MAX}
        readOnly={readOnly}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.valueAsNumber || 0)}
      />
      <span className="field-hint" id={`${id}-hint`}>
        {hint}
      </span>
    </>
  );
}
