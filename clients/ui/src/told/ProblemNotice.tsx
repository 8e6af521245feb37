import type { ReactNode } from "react";
import { Notice } from "../Notice.tsx";
import { problemTold, type Told } from "./told.ts";
import type { Words } from "./words.ts";

interface ProblemNoticeProps {
  problem: Error;
  words: Words;
  action?: ReactNode;
}

/** What went wrong, in the reader's language; what the server said stands below where it differs. */
export function ProblemNotice({ problem, words, action }: ProblemNoticeProps) {
  const told = problemTold(problem, words);
  return (
    <Notice kind="critical" action={action}>
      <Sentence told={told} />
      {told.detail ? (
        <>
          <br />
          <span className="small quiet">
            {words.told.detail}: <span lang="en">{told.detail}</span>
          </span>
        </>
      ) : null}
    </Notice>
  );
}

/** A sentence of the server's, with its language where that is not the page's. */
export function Sentence({ told }: { told: Told }) {
  return told.lang ? <span lang={told.lang}>{told.text}</span> : told.text;
}
