import { type Answer, idOf, type PassageExplanation, read } from "@scops/api";
import { InlineDiff, isEnglish, kindText, shortAddress, Time, Why } from "@scops/ui";
import { ChevronLeft } from "lucide-react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import type { Reply } from "./reply.ts";
import { ScoreParts } from "./ScoreParts.tsx";

interface ExplanationProps {
  reply: Reply;
  answer: Answer;
  onBack: () => void;
}

/** Why the passages of an answer rank as they do. */
export function Explanation({ reply, answer, onBack }: ExplanationProps) {
  const { api } = usePanel();
  const { query, scopes } = reply;
  const bundle = answer.evidenceBundle ? { evidenceBundle: answer.evidenceBundle } : {};
  const { data, problem } = useAsked(`explain ${query} ${scopes}`, (signal) =>
    read(api.POST("/v1/explain", { body: { query, scopes, ...bundle }, signal })),
  );
  const all = data?.explanations ?? [];
  return (
    <section className="stack" aria-label={say.explain.title}>
      <p>
        <button
          type="button"
          className="button"
          data-kind="quiet"
          data-size="small"
          onClick={onBack}
        >
          <ChevronLeft className="icon-small" aria-hidden="true" />
          {say.back}
        </button>
      </p>
      <h2>{say.explain.title}</h2>
      {problem ? <ProblemNotice problem={problem} /> : null}
      {!data && !problem ? <p className="quiet">{say.loading}</p> : null}
      {data?.rationale && isEnglish(say) ? <p className="small">{data.rationale}</p> : null}
      {all.map((one) => (
        <Passage key={one.passage?.chunk} one={one} count={all.length} />
      ))}
    </section>
  );
}

function Passage({ one, count }: { one: PassageExplanation; count: number }) {
  const { passage, rank = 0, ranksWithout = [], lineage = [] } = one;
  const rows = (passage?.parts ?? []).map(({ name = "", weighted, present }) => ({
    name,
    weighted: present ? (weighted ?? 0) : undefined,
    rankWithout: ranksWithout.find((other) => other.part === name)?.rank,
  }));
  const cited = lineage.find((entry) => entry.cited);
  return (
    <article className="stack-small explained">
      <h3 dir="auto">
        {passage?.sectionPath?.at(-1) ?? passage?.title} · {say.explain.rank(rank, count)}
      </h3>
      <span className="address quiet small">{shortAddress(passage?.uri ?? "")}</span>
      <Why explained={one} words={say} />
      <details>
        <summary className="small">{say.explain.parts}</summary>
        <ScoreParts rows={rows} score={passage?.score ?? 0} />
      </details>
      <dl className="pairs">
        {(passage?.scopes ?? []).map(({ scope, rule }) => (
          <div className="contents" key={scope}>
            <dt>{say.explain.letIn}</dt>
            <dd>
              <span className="scope-name">@{idOf(scope)}</span>{" "}
              <span className="address">+ {rule?.pattern}</span>
            </dd>
          </div>
        ))}
        {passage?.graphPath?.length ? (
          <>
            <dt>{say.explain.graph}</dt>
            <dd>{passage.graphPath.join(" → ")}</dd>
          </>
        ) : null}
        {cited?.observedTime ? (
          <>
            <dt>{say.explain.version}</dt>
            <dd>
              <Time at={cited.observedTime} />{" "}
              {kindText(cited.changeClass, cited.changeReasons, say)}
            </dd>
          </>
        ) : null}
      </dl>
      {cited?.diff?.length ? (
        <details>
          <summary className="small">{say.explain.whatItChanged}</summary>
          {cited.diff.map((hunk) => (
            <p className="said said-small" dir="auto" key={JSON.stringify(hunk.parts)}>
              <InlineDiff parts={hunk.parts ?? []} />
            </p>
          ))}
        </details>
      ) : null}
    </article>
  );
}
