import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

interface NoticeProps {
  kind?: "critical" | "superseded";
  action?: ReactNode;
  children: ReactNode;
}

/** Something happened, or is needed: a sentence, and at most one action. */
export function Notice({ kind, action, children }: NoticeProps) {
  return (
    <div className="notice" data-kind={kind} role={kind === "critical" ? "alert" : undefined}>
      <CircleAlert className="icon" aria-hidden="true" />
      <p>{children}</p>
      {action}
    </div>
  );
}
