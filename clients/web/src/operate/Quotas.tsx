import { type Problem, type Quota, read } from "@scops/api";
import { Time } from "@scops/ui";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { OperatePart } from "./OperatePart.tsx";
import { amount, usedPercent } from "./quotas.ts";

/** What somebody holds and has spent today, against what each may. */
export function Quotas() {
  const { api } = useSession();
  const [written, setWritten] = useState("");
  const [principal, setPrincipal] = useState("");
  const id = useId();
  const quotas = useQuery<Quota[], Problem>({
    queryKey: ["quotas", principal],
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { query: principal ? { principal } : {} };
      return (await read(api.GET("/v1/quotas", { params, signal }))).quotas ?? [];
    },
  });
  return (
    <OperatePart
      id="quotas"
      title={say.operate.quotas}
      problem={quotas.error}
      onAgain={() => quotas.refetch()}
    >
      <form
        className="short-form"
        onSubmit={(event) => {
          event.preventDefault();
          setPrincipal(written.trim());
        }}
      >
        <div className="field">
          <label htmlFor={id}>{say.operate.principal}</label>
          <input
            id={id}
            className="input"
            data-voice="address"
            value={written}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setWritten(event.target.value)}
          />
          <span id={`${id}-hint`} className="field-hint">
            {say.operate.principalHint}
          </span>
        </div>
        <button type="submit" className="button">
          {say.operate.show}
        </button>
      </form>
      {quotas.data?.length ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.quota}</th>
              <th scope="col" className="number">
                {say.operate.heldOrSpent}
              </th>
              <th scope="col" className="number">
                {say.operate.bound}
              </th>
              <th scope="col">{say.operate.resets}</th>
            </tr>
          </thead>
          <tbody>
            {quotas.data.map((quota) => (
              <QuotaRow key={quota.name} quota={quota} />
            ))}
          </tbody>
        </table>
      ) : null}
    </OperatePart>
  );
}

function QuotaRow({ quota }: { quota: Quota }) {
  const share = usedPercent(quota);
  return (
    <tr>
      <th scope="row">{say.operate.quotaNames[quota.name ?? ""] ?? quota.name}</th>
      <td className="number" data-label={say.operate.heldOrSpent}>
        {amount(quota, quota.used, say.locale)}
        {share === undefined ? null : (
          <svg className="used" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect width="100" height="6" />
            <rect width={share} height="6" />
          </svg>
        )}
      </td>
      <td className="number" data-label={say.operate.bound}>
        {share === undefined ? say.operate.unbound : amount(quota, quota.limit, say.locale)}
      </td>
      <td data-label={quota.resetTime ? say.operate.resets : undefined}>
        {quota.resetTime ? <Time at={quota.resetTime} /> : null}
      </td>
    </tr>
  );
}
