import { type Boundary, type Problem, read } from "@scops/api";
import { count, duration } from "@scops/ui";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import { isName, nameFor, prefixOf } from "./address.ts";

const BOUNDARIES: [Boundary, string][] = [
  ["BOUNDARY_SUBPAGES", say.first.subpages],
  ["BOUNDARY_HOST", say.first.host],
  ["BOUNDARY_DOMAIN", say.first.domain],
];
const PAGES_DEFAULT = 200;
const PAGES_MAX = 100_000;

/** What a crawl of an address would hold and cost, before anything is fetched. */
export function Plan({
  address,
  onCrawl,
}: {
  address: URL;
  onCrawl: (next: { scope: string; job: string }) => void;
}) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [boundary, setBoundary] = useState<Boundary>("BOUNDARY_SUBPAGES");
  const [pages, setPages] = useState(PAGES_DEFAULT);
  const [name, setName] = useState(() => nameFor(address));
  const id = useId();
  const prefix = prefixOf(address, boundary);
  const known = useKnown(prefix);
  const begin = useMutation<{ scope: string; job: string }, Problem>({
    mutationFn: async () => {
      const scope = { seeds: [address.href], boundary, pageLimit: pages };
      await read(api.POST("/v1/scopes", { params: { query: { scopeId: name } }, body: scope }));
      const path = { scope: name };
      const started = await read(
        api.POST("/v1/scopes/{scope}:crawl", { params: { path }, body: {} }),
      );
      await queries.invalidateQueries({ queryKey: ["scopes"] });
      return { scope: name, job: started.job?.name ?? "" };
    },
    onSuccess: onCrawl,
  });
  const isTaken = begin.error?.status === 409;
  const isWrong = !isName(name) || isTaken;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isName(name)) begin.mutate();
      }}
    >
      <h2>{say.first.plan}</h2>
      <dl className="figures">
        <div>
          <dt>{say.first.pagesMost}</dt>
          <dd>{count(pages, say.locale)}</dd>
        </div>
        <div>
          <dt>{say.first.requests}</dt>
          <dd>{duration(pages, say.locale)}</dd>
        </div>
        {known > 0 ? (
          <div>
            <dt>{say.first.known}</dt>
            <dd>{count(known, say.locale)}</dd>
          </div>
        ) : null}
      </dl>
      <fieldset className="field">
        <legend>{say.first.far}</legend>
        <div className="choice">
          {BOUNDARIES.map(([value, label]) => (
            <label key={value}>
              <input
                type="radio"
                name="boundary"
                checked={boundary === value}
                onChange={() => setBoundary(value)}
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
      <p className="small quiet">
        {say.first.holds}:{" "}
        <span className="address">{prefix ?? say.first.everything(address.hostname)}</span>
        <br />
        {say.first.manners}
      </p>
      <div className="field">
        <label htmlFor={`${id}-pages`}>{say.first.most}</label>
        <input
          id={`${id}-pages`}
          className="input"
          type="number"
          min={1}
          max={PAGES_MAX}
          value={pages}
          onChange={(event) => setPages(Math.min(PAGES_MAX, event.target.valueAsNumber || 1))}
        />
      </div>
      <div className="with-button" data-hinted>
        <div className="field">
          <label htmlFor={`${id}-name`}>{say.first.name}</label>
          <input
            id={`${id}-name`}
            className="input"
            data-voice="address"
            value={name}
            aria-invalid={isWrong}
            aria-describedby={`${id}-hint`}
            onChange={(event) => {
              begin.reset();
              setName(event.target.value.trim());
            }}
          />
          <span id={`${id}-hint`} className={isWrong ? "field-error" : "field-hint"}>
            {isTaken
              ? say.first.nameTaken
              : isWrong
                ? say.first.nameWrong
                : say.first.nameHint(name)}
          </span>
        </div>
        <button
          type="submit"
          className="button"
          data-kind="main"
          data-size="large"
          aria-busy={begin.isPending}
          disabled={begin.isPending}
        >
          {say.first.crawl(pages)}
        </button>
      </div>
      {begin.error && !isTaken ? <ProblemNotice problem={begin.error} /> : null}
    </form>
  );
}

/** Returns how many pages of a prefix the system has met already. */
function useKnown(prefix: string | undefined): number {
  const { api } = useSession();
  const preview = useQuery({
    queryKey: ["preview", prefix],
    enabled: prefix !== undefined,
    queryFn: ({ signal }) => {
      const rules = [{ kind: "KIND_PREFIX" as const, pattern: prefix ?? "" }];
      return read(api.POST("/v1/scopes:preview", { body: { rules }, signal }));
    },
  });
  return preview.data?.matchedCount ?? 0;
}
