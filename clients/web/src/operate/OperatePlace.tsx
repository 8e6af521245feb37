import { type Health, type Problem, read, type WhoAmI } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { ExternalLink } from "lucide-react";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { Audit } from "./Audit.tsx";
import { DeadLetters } from "./DeadLetters.tsx";
import { HealthPart } from "./HealthPart.tsx";
import { Keys } from "./Keys.tsx";
import { may, type Part, partsFor } from "./may.ts";
import { NewestJobs } from "./NewestJobs.tsx";
import { People } from "./People.tsx";
import { Queues } from "./Queues.tsx";
import { Quotas } from "./Quotas.tsx";

const LOOKS_AGAIN_MS = 10_000;

/** The installation as whoever runs it sees it: only what the caller may. */
export function OperatePlace({ caller }: { caller: WhoAmI }) {
  const { api } = useSession();
  const parts = partsFor(caller);
  const health = useQuery<Health, Problem>({
    queryKey: ["health"],
    enabled: parts.includes("health"),
    queryFn: ({ signal }) => read(api.GET("/v1/health", { signal })),
    refetchInterval: LOOKS_AGAIN_MS,
  });
  if (parts.length === 0) {
    return (
      <div className="page">
        <h1>{say.operate.title}</h1>
        <div className="empty">
          <p>{say.operate.notYours}</p>
          <Link className="button" href="/ask">
            {say.operate.toAsk}
          </Link>
        </div>
      </div>
    );
  }
  const shown: Record<Part, () => React.ReactNode> = {
    health: () => <HealthPart health={health} />,
    jobs: () => <NewestJobs />,
    queues: () => <Queues />,
    letters: () => <DeadLetters mayMend={may(caller, "mend_dead_letters")} />,
    people: () => <People />,
    keys: () => <Keys caller={caller} />,
    quotas: () => <Quotas />,
    audit: () => <Audit />,
  };
  const grafana = health.data?.grafanaUri;
  return (
    <div className="page" data-wide>
      <div className="page-head">
        <div>
          <h1>{say.operate.title}</h1>
          <p className="small quiet">
            {say.operate.organisation} <span className="address">{caller.organisationId}</span>
          </p>
        </div>
        {grafana ? (
          <div className="actions">
            <a className="button" href={grafana} rel="noreferrer">
              {say.operate.grafana} <ExternalLink className="icon icon-small" aria-hidden="true" />
            </a>
          </div>
        ) : null}
      </div>
      <nav className="jump" aria-label={say.operate.onThisPage}>
        {parts.map((part) => (
          <a key={part} href={`#${part}`}>
            {say.operate[part]}
          </a>
        ))}
      </nav>
      {parts.map((part) => (
        <div key={part} className="operate-part">
          {shown[part]()}
        </div>
      ))}
    </div>
  );
}
