import { type DiffHunk, idOf, read } from "@scops/api";
import { DiffSide, InlineDiff, kindText } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { JumpStrip } from "../JumpStrip.tsx";
import { type Jump, weightsOf } from "../jumps.ts";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { StepButtons } from "../StepButtons.tsx";
import { useSession } from "../session/session.tsx";
import { useSteps } from "../steps.ts";

interface DifferenceProps {
  page: string;
  from: string;
  to: string;
}

/** What differs between two versions, in one text or side by side; one steps from edit to edit. */
export function Difference({ page, from, to }: DifferenceProps) {
  const { api } = useSession();
  const [isBeside, setBeside] = useState(false);
  const edits = useRef<HTMLDivElement>(null);
  const step = useSteps(edits);
  const diff = useQuery({
    queryKey: ["diff", page, from, to],
    queryFn: ({ signal }) => {
      const params = {
        path: { page: idOf(page) },
        query: { fromVersion: from, toVersion: to },
      };
      return read(api.GET("/v1/pages/{page}:diff", { params, signal }));
    },
  });
  const hunks = diff.data?.hunks ?? [];
  return (
    <section className="pane" aria-labelledby="diff-title">
      <div className="pane-head">
        <h2 id="diff-title">{say.page.differs}</h2>
        <span className="small quiet">{diff.data ? say.page.edits(hunks.length) : ""}</span>
        <StepButtons previous={say.page.previous} next={say.page.next} onStep={step} />
        <button
          type="button"
          className="button"
          data-size="small"
          aria-pressed={isBeside}
          onClick={() => setBeside(!isBeside)}
        >
          {say.page.beside}
        </button>
      </div>
      <div className="pane-body stack">
        {diff.error ? (
          <ProblemNotice
            problem={diff.error}
            action={
              <button type="button" className="button" onClick={() => diff.refetch()}>
                {say.again}
              </button>
            }
          />
        ) : null}
        <div className="jumped">
          <div className="stack" ref={edits}>
            {hunks.map((hunk, place) => (
              <Hunk
                key={`${to}${hunk.sectionPath}${hunk.parts?.[0]?.text}`}
                hunk={hunk}
                name={say.page.edit(place + 1, hunks.length)}
                isBeside={isBeside}
              />
            ))}
          </div>
          <JumpStrip label={say.page.jump} jumps={jumpsOf(hunks)} below={edits} />
        </div>
      </div>
    </section>
  );
}

/** Returns hunks as places that one jumps to. */
function jumpsOf(hunks: DiffHunk[]): Jump[] {
  const weights = weightsOf(hunks);
  return hunks.map(({ changeClass = "", changeReasons, sectionPath = [] }, place) => {
    const words = [
      say.page.edit(place + 1, hunks.length),
      ...sectionPath.slice(-1),
      kindText(changeClass, changeReasons, say),
    ];
    return { name: words.join(", "), kind: changeClass, weight: weights[place] ?? 0 };
  });
}

interface HunkProps {
  hunk: DiffHunk;
  name: string;
  isBeside: boolean;
}

function Hunk({ hunk, name, isBeside }: HunkProps) {
  const parts = hunk.parts ?? [];
  return (
    <article className="diff" data-step="" tabIndex={-1} aria-label={name}>
      <div className="diff-head">
        <span className="small">{(hunk.sectionPath ?? []).join(" › ")}</span>
        <span className="kind" data-kind={hunk.changeClass}>
          {kindText(hunk.changeClass, hunk.changeReasons, say)}
        </span>
      </div>
      {isBeside ? (
        <div className="diff-sides said said-medium" dir="auto">
          <div>
            <DiffSide parts={parts} side="from" />
          </div>
          <div>
            <DiffSide parts={parts} side="to" />
          </div>
        </div>
      ) : (
        <div className="diff-body said said-medium" dir="auto">
          <InlineDiff parts={parts} />
        </div>
      )}
    </article>
  );
}
