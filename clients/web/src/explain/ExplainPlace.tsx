import { idOf } from "@scops/api";
import { dayOf, isEnglish } from "@scops/ui";
import { useEffect, useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useTurn } from "../ask/conversation.ts";
import { isTyping } from "../keys.ts";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { Lab } from "./Lab.tsx";
import { PassageDetail } from "./PassageDetail.tsx";
import { keyOf, movesBetween } from "./parts.ts";
import { QuestionForm } from "./QuestionForm.tsx";
import { RankTable } from "./RankTable.tsx";
import { type AskedRanking, type Explainable, useExplained, useRanked } from "./useExplained.ts";

/** Why passages rank as they do, and how they would by other weights. */
export function ExplainPlace() {
  const [search] = useSearchParams();
  const kept = useTurn(search.get("turn"));
  const turn = kept.data;
  const query = turn?.query ?? search.get("q") ?? "";
  const scopes = turn?.scopes ?? search.getAll("scope").map((scope) => `scopes/${scope}`);
  const asked: Explainable = {
    query,
    scopes: scopes.length > 0 ? scopes : ["*"],
    asOf: turn?.asOf ?? search.get("asOf") ?? "",
    bundle: turn?.answer?.evidenceBundle ?? "",
  };
  if (kept.error) return <ProblemNotice problem={kept.error} />;
  return (
    <div className="page" data-wide>
      <div className="page-head">
        <div>
          {turn ? (
            <p className="small">
              <Link href={backTo(turn.name)}>{say.explain.back}</Link>
            </p>
          ) : null}
          <h1 dir="auto">{query || say.explain.title}</h1>
          {query ? <Where asked={asked} /> : null}
        </div>
      </div>
      {asked.bundle ? null : <QuestionForm key={query} asked={asked} />}
      {query ? <Ranking key={`${query} ${asked.scopes} ${asked.bundle}`} asked={asked} /> : null}
    </div>
  );
}

function backTo(turn: string | undefined): string {
  return turn ? `/${turn.replace(/\/turns\/.*/, "")}${location.hash}` : "/ask";
}

function Where({ asked }: { asked: Explainable }) {
  return (
    <p className="small quiet">
      {asked.scopes.map((scope) => (
        <span className="scope-name" key={scope}>
          {scope === "*" ? say.asking.all : `@${idOf(scope)}`}{" "}
        </span>
      ))}
      {asked.asOf ? `${say.asking.stood(dayOf(asked.asOf))} ` : null}
      {asked.bundle ? say.explain.ofAnswer : say.explain.ofNow}
    </p>
  );
}

function Ranking({ asked }: { asked: Explainable }) {
  const [ranking, setRanking] = useState<AskedRanking>();
  const [chosen, setChosen] = useState<string>();
  const first = useExplained(asked);
  // What the weights are compared with: the default, asked now as they are.
  const reference = useExplained(ranking ? { ...asked, bundle: "" } : asked);
  const moved = useRanked(asked, ranking);
  const shown = ranking ? (moved.data ?? first.data) : first.data;
  const passages = useMemo(() => shown?.passages ?? [], [shown]);
  const moves = ranking ? movesBetween(reference.data?.passages ?? [], passages) : undefined;
  const at = passages.find((one) => keyOf(one.passage) === chosen) ?? passages[0];

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || (event.key !== "j" && event.key !== "k")) return;
      const place = at ? passages.indexOf(at) : -1;
      const next = passages[place + (event.key === "j" ? 1 : -1)];
      if (next) setChosen(keyOf(next.passage));
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [passages, at]);

  const problem = first.error ?? moved.error ?? reference.error;
  if (problem && !shown) return <ProblemNotice problem={problem} />;
  if (!shown) return <p role="status">{say.explain.asking}</p>;
  return (
    <>
      {problem ? <ProblemNotice problem={problem} /> : null}
      {shown.rationale && isEnglish(say) ? <p className="rationale">{shown.rationale}</p> : null}
      {passages.length === 0 ? <p className="empty">{say.explain.none}</p> : null}
      <div className="explain">
        <div className="stack">
          <RankTable passages={passages} moves={moves} chosen={at} onChoose={setChosen} />
          <Lab
            asked={asked}
            ranking={ranking}
            used={moved.data && ranking ? moved.data : reference.data}
            passages={passages}
            moves={moves}
            onRank={setRanking}
          />
        </div>
        {at ? <PassageDetail explained={at} count={passages.length} /> : null}
      </div>
    </>
  );
}
