import { type Citation, fetchNow, outcomeOf, type PageOutcome, type Problem } from "@scops/api";
import { useMutation } from "@tanstack/react-query";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useScopes } from "../scopes/useScopes.ts";
import { useSession } from "../session/session.tsx";
import type { AskedTurn } from "./conversation.ts";
import { checkedBy } from "./further.ts";

interface CheckPageProps {
  turn: AskedTurn;
  citation: Citation;
  /** Looks up what became of the quotes. */
  onCheck: () => Promise<void>;
}

/** Has a cited page fetched now, then says what it says of the quote by now. */
export function CheckPage({ turn, citation, onCheck }: CheckPageProps) {
  const { api } = useSession();
  const scope = checkedBy(turn, citation, useScopes().data ?? []);
  const check = useMutation<PageOutcome | undefined, Problem>({
    mutationFn: async () => {
      const job = await fetchNow(api, scope?.name ?? "", [citation.uri ?? ""]);
      const ended = await outcomeOf(api, job, new AbortController().signal);
      await onCheck();
      return ended;
    },
  });
  if (!scope) return null;
  return (
    <div className="stack-small">
      <div className="actions">
        <button
          type="button"
          className="button"
          data-size="small"
          aria-busy={check.isPending}
          disabled={check.isPending}
          onClick={() => check.mutate()}
        >
          {say.further.check}
        </button>
        <span className="small quiet" role="status">
          {check.isPending ? say.further.checking : null}
          {check.isSuccess ? checked(check.data) : null}
        </span>
      </div>
      {check.error ? <ProblemNotice problem={check.error} /> : null}
    </div>
  );
}

function checked(ended: PageOutcome | undefined): string {
  const { outcome = "open", reason = "" } = ended ?? {};
  return say.further.checked[outcome] ?? say.endings[reason] ?? say.job.outcomes[outcome] ?? "";
}
