import { type ReactNode, useState } from "react";

/** What is folded away until it is wanted; it asks the server nothing before. */
export function Folded({ title, children }: { title: string; children: ReactNode }) {
  const [wasOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen((before) => before || event.currentTarget.open)}>
      <summary>{title}</summary>
      {wasOpen ? children : null}
    </details>
  );
}
