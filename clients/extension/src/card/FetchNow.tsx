import { fetchNow, outcomeOf, Problem } from "@scops/api";
import { problemTold } from "@scops/ui";
import { useEffect, useRef, useState } from "react";
import { say } from "../messages/index.ts";
import { usePanel } from "../server/panel.tsx";

interface FetchNowProps {
  url: string;
  scope: string;
  isNew: boolean;
  onFetched: () => void;
}

/** Has the page fetched, and tells what came of it. */
export function FetchNow({ url, scope, isNew, onFetched }: FetchNowProps) {
  const { api } = usePanel();
  const [told, setTold] = useState("");
  const [isBusy, setBusy] = useState(false);
  const stopping = useRef(new AbortController());
  useEffect(() => {
    stopping.current = new AbortController();
    return () => stopping.current.abort();
  }, []);
  const go = async () => {
    setBusy(true);
    setTold(say.card.fetching);
    try {
      const job = await fetchNow(api, scope, [url]);
      const ended = await outcomeOf(api, job, stopping.current.signal);
      if (ended) {
        const { outcome = "", reason = "" } = ended;
        setTold(
          say.card.ended[outcome] ?? say.endings[reason] ?? say.card.endedOther(outcome, reason),
        );
        onFetched();
      }
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      setTold(problemTold(problem, say).text);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        className="button"
        data-size="small"
        data-kind={isNew ? "main" : "quiet"}
        aria-busy={isBusy}
        disabled={isBusy || !scope}
        onClick={() => void go()}
      >
        {isNew ? say.card.fetch : say.card.check}
      </button>
      <span className="small quiet" role="status">
        {told || (isNew ? say.card.fetchHint : "")}
      </span>
    </>
  );
}
