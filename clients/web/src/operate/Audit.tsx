import { type AuditEntry, type Problem, read } from "@scops/api";
import { Notice, Time } from "@scops/ui";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { OperatePart } from "./OperatePart.tsx";

const PAGE_SIZE = 25;
/** Parts of the chain that are verified, each of some thousand entries. */
const PARTS_MAX = 10_000;
const FIELDS = ["principal", "action", "resource"] as const;
type Filter = Partial<Record<(typeof FIELDS)[number], string>>;

interface Chain {
  sequence: string;
  broken: string;
  why: string;
}

/** Who changed what, newest first; the chain is computed anew on demand. */
export function Audit() {
  const { api } = useSession();
  const [filter, setFilter] = useState<Filter>({});
  const entries = useInfiniteQuery({
    queryKey: ["audit", filter],
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) => {
      const token = pageParam ? { pageToken: pageParam } : {};
      const params = { query: { pageSize: PAGE_SIZE, ...filter, ...token } };
      return read(api.GET("/v1/audit", { params, signal }));
    },
    getNextPageParam: (last) => last.nextPageToken || undefined,
  });
  const verify = useMutation<Chain, Problem>({
    mutationFn: async () => {
      let query: { afterSequence?: string; afterHash?: string } = {};
      for (let part = 0; part < PARTS_MAX; part += 1) {
        const told = await read(api.GET("/v1/audit:verify", { params: { query } }));
        const sequence = told.sequence ?? "0";
        const broken = told.brokenSequence ?? "0";
        if (told.complete || broken !== "0") {
          return { sequence, broken, why: told.brokenReason ?? "" };
        }
        query = { afterSequence: sequence, ...(told.hash ? { afterHash: told.hash } : {}) };
      }
      return { sequence: query.afterSequence ?? "0", broken: "0", why: "" };
    },
  });
  const shown = entries.data?.pages.flatMap((page) => page.entries ?? []) ?? [];
  return (
    <OperatePart
      id="audit"
      title={say.operate.audit}
      problem={(entries.error as Problem | null) ?? verify.error}
      onAgain={() => {
        verify.reset();
        entries.refetch();
      }}
      head={
        <button
          type="button"
          className="button"
          data-size="small"
          disabled={verify.isPending}
          aria-busy={verify.isPending}
          onClick={() => verify.mutate()}
        >
          {say.operate.verify}
        </button>
      }
    >
      <div role="status">{verify.data ? <Verified chain={verify.data} /> : null}</div>
      <AuditFilter onFilter={setFilter} />
      {entries.data && shown.length === 0 ? <p className="quiet">{say.operate.noEntries}</p> : null}
      {shown.length > 0 ? <Entries entries={shown} /> : null}
      {entries.hasNextPage ? (
        <div className="actions">
          <button type="button" className="button" onClick={() => entries.fetchNextPage()}>
            {say.more}
          </button>
        </div>
      ) : null}
    </OperatePart>
  );
}

function Verified({ chain }: { chain: Chain }) {
  if (chain.broken === "0") return <p className="small">{say.operate.holds(chain.sequence)}</p>;
  return <Notice kind="critical">{say.operate.broken(chain.broken, chain.why)}</Notice>;
}

function AuditFilter({ onFilter }: { onFilter: (filter: Filter) => void }) {
  const [written, setWritten] = useState<Filter>({});
  const id = useId();
  const labels = {
    principal: say.operate.who,
    action: say.operate.action,
    resource: say.operate.toWhat,
  };
  return (
    <form
      className="short-form"
      onSubmit={(event) => {
        event.preventDefault();
        const given = Object.entries(written).map(([field, value]) => [field, value.trim()]);
        onFilter(Object.fromEntries(given.filter(([, value]) => value)));
      }}
    >
      {FIELDS.map((field) => (
        <div className="field" key={field}>
          <label htmlFor={`${id}-${field}`}>{labels[field]}</label>
          <input
            id={`${id}-${field}`}
            className="input"
            data-voice="address"
            value={written[field] ?? ""}
            onChange={(event) => setWritten({ ...written, [field]: event.target.value })}
          />
        </div>
      ))}
      <button type="submit" className="button">
        {say.operate.filter}
      </button>
    </form>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  return (
    <table className="table" data-dense>
      <thead>
        <tr>
          <th scope="col">{say.operate.when}</th>
          <th scope="col">{say.operate.who}</th>
          <th scope="col">{say.operate.did}</th>
          <th scope="col">{say.operate.toWhat}</th>
          <th scope="col">{say.operate.outcome}</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.sequence}>
            <td>
              <Time at={entry.time ?? ""} />
            </td>
            <td className="address">{entry.principal}</td>
            <th scope="row">{entry.action}</th>
            <td className="address">{entry.resource}</td>
            <td className="small">{entry.outcome}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
