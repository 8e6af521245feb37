import { type Problem, type Queue, read } from "@scops/api";
import { count } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { OperatePart } from "./OperatePart.tsx";
import { busy } from "./queues.ts";

const LOOKS_AGAIN_MS = 5_000;

/** What each consumer is owed; queues in which nothing is are shown on demand. */
export function Queues() {
  const { api } = useSession();
  const [withIdle, setIdle] = useState(false);
  const queues = useQuery<Queue[], Problem>({
    queryKey: ["queues"],
    queryFn: async ({ signal }) => (await read(api.GET("/v1/queues", { signal }))).queues ?? [],
    refetchInterval: LOOKS_AGAIN_MS,
  });
  const known = queues.data ?? [];
  const shown = withIdle ? known : busy(known);
  return (
    <OperatePart
      id="queues"
      title={say.operate.queues}
      problem={queues.error}
      onAgain={() => queues.refetch()}
      head={
        <button
          type="button"
          className="button"
          data-size="small"
          aria-pressed={withIdle}
          onClick={() => setIdle(!withIdle)}
        >
          {say.operate.showIdle}
        </button>
      }
    >
      {queues.data && shown.length === 0 ? <p className="quiet">{say.operate.idle}</p> : null}
      {shown.length > 0 ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.consumer}</th>
              <th scope="col">{say.operate.message}</th>
              <th scope="col">{say.operate.lane}</th>
              <th scope="col" className="number">
                {say.operate.pending}
              </th>
              <th scope="col" className="number">
                {say.operate.inHand}
              </th>
              <th scope="col" className="number">
                {say.operate.again}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((queue) => (
              <tr key={`${queue.consumer}${queue.message}${queue.lane}`}>
                <th scope="row">{queue.consumer}</th>
                <td className="address">{queue.message}</td>
                <td data-label={say.operate.lane}>{queue.lane}</td>
                <Counted label={say.operate.pending} value={queue.pendingCount} />
                <Counted label={say.operate.inHand} value={queue.inHandCount} />
                <Counted label={say.operate.again} value={queue.redeliveredCount} />
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </OperatePart>
  );
}

function Counted({ label, value }: { label: string; value: string | undefined }) {
  return (
    <td className="number" data-label={label}>
      {count(Number(value ?? 0), say.locale)}
    </td>
  );
}
