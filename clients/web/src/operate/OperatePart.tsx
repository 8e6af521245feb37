import type { Problem } from "@scops/api";
import type { ReactNode } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";

interface OperatePartProps {
  id: string;
  title: string;
  /** What could not be read or done, and how to try again. */
  problem?: Problem | null;
  onAgain?: () => void;
  head?: ReactNode;
  children: ReactNode;
}

/** A part of the operator's page, with what is wrong with it. */
export function OperatePart({ id, title, problem, onAgain, head, children }: OperatePartProps) {
  return (
    <section className="pane" id={id} aria-labelledby={`${id}-title`}>
      <div className="pane-head">
        <h2 id={`${id}-title`}>{title}</h2>
        {head}
      </div>
      <div className="pane-body stack-small">
        {problem ? (
          <ProblemNotice
            problem={problem}
            action={
              onAgain ? (
                <button type="button" className="button" data-size="small" onClick={onAgain}>
                  {say.again}
                </button>
              ) : undefined
            }
          />
        ) : null}
        {children}
      </div>
    </section>
  );
}
