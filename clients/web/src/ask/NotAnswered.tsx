import { type Answer, type Gap, idOf } from "@scops/api";
import { remarksOf, Sentence, shortAddress } from "@scops/ui";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { LookFurther } from "../research/LookFurther.tsx";
import { useCrawl } from "../scopes/useCrawl.ts";
import { useScopes } from "../scopes/useScopes.ts";
import type { Asked, AskedTurn } from "./conversation.ts";
import { ExplainLink } from "./ExplainLink.tsx";
import { canWiden, crawlable, EVERY } from "./further.ts";

const SCOPES_OFFERED = 3;

interface NotAnsweredProps {
  turn: AskedTurn;
  answer: Answer;
  share: string;
  /** Asks the question of other scopes; nothing where the chat is another's. */
  onWiden: ((asked: Asked) => Promise<unknown>) | undefined;
}

/** What is missing for an answer, and what can be done about it. */
export function NotAnswered({ turn, answer, share, onWiden }: NotAnsweredProps) {
  const gaps: Gap[] = answer.gaps ?? [];
  return (
    <div className="stack">
      <p className="said-large">
        <strong>{say.asking.notAnswered}.</strong> {say.asking.notAnsweredWhy}
      </p>
      {gaps.length > 0 ? (
        <>
          <p className="label">{say.asking.lacks}</p>
          <ul className="cited-pages">
            {gaps.map((gap) => (
              <li key={gap.chunk}>
                <span className="cited-title" dir="auto">
                  {(gap.sectionPath?.length ? gap.sectionPath : [gap.title]).join(" › ")}
                </span>
                <span className="address quiet small">{shortAddress(gap.uri ?? "")}</span>
                {gap.missingWords?.length ? (
                  <span className="small">
                    {say.asking.lack} {gap.missingWords.join(", ")}
                  </span>
                ) : null}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p className="small quiet">
          <Sentence told={remarksOf(answer.shortfall ?? [], answer.shortfallReason ?? "", say)} />
        </p>
      )}
      <Further turn={turn} onWiden={onWiden} />
      <p>
        <ExplainLink turn={turn} share={share} />
      </p>
    </div>
  );
}

/** Other scopes, pages of these that may be new, and pages that are in none. */
function Further({ turn, onWiden }: Pick<NotAnsweredProps, "turn" | "onWiden">) {
  const scopes = useScopes().data ?? [];
  const crawl = useCrawl();
  return (
    <section className="stack-small" aria-label={say.further.title}>
      <p className="label">{say.further.title}</p>
      {onWiden ? <LookFurther turn={turn} /> : null}
      <div className="actions">
        {onWiden && canWiden(turn.scopes, scopes) ? (
          <button
            type="button"
            className="button"
            onClick={() => void onWiden({ query: turn.query, asOf: turn.asOf, scopes: [EVERY] })}
          >
            {say.further.widen}
          </button>
        ) : null}
        {crawlable(turn.scopes, scopes)
          .slice(0, SCOPES_OFFERED)
          .map((scope) => (
            <button
              type="button"
              className="button"
              key={scope.name}
              disabled={crawl.isPending}
              onClick={() => crawl.mutate(scope.name ?? "")}
            >
              {say.further.crawl(idOf(scope.name))}
            </button>
          ))}
        <Link className="button" href="/new">
          {say.further.add}
        </Link>
      </div>
      <p className="small quiet">{say.further.what}</p>
      {crawl.error ? <ProblemNotice problem={crawl.error} /> : null}
    </section>
  );
}
