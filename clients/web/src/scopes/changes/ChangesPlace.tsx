import { idOf, type PageChange, type Problem, read } from "@scops/api";
import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { JumpStrip } from "../../JumpStrip.tsx";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { StepButtons } from "../../StepButtons.tsx";
import { useSession } from "../../session/session.tsx";
import { useSteps } from "../../steps.ts";
import { Change, jumpOf } from "./Change.tsx";
import { heavyEnough, reasonsOf } from "./filters.ts";
import { WatchForm } from "./WatchForm.tsx";

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = [1, 7, 30, 365];
const DAYS_MAX = 365;
const PAGES_SHOWN = 100;
/** Digits of a weight. */
const DIGITS = 2;

/** What changed on the pages of a scope, by weight: filtered, stepped through, and watched. */
export function ChangesPlace({ scope }: { scope: string }) {
  // The browser sends no key with a link.
  const { hasKey } = useSession();
  const [days, setDays] = useState(30);
  const [withNoise, setNoise] = useState(false);
  const [reasons, setReasons] = useState<string[]>([]);
  const [least, setLeast] = useState(0);
  const [isWatching, setWatching] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const step = useSteps(list);
  const id = useId();
  const all = useChanges(scope, { days, withNoise, reasons: [] });
  const chosen = useChanges(scope, { days, withNoise, reasons });
  const told = chosen.data?.changes ?? [];
  const shown = heavyEnough(told, least);
  const known = reasonsOf(all.data?.changes ?? []);
  const isFiltered = reasons.length > 0 || least > 0;
  const clear = () => {
    setReasons([]);
    setLeast(0);
  };
  const problem = chosen.error ?? all.error;
  return (
    <div className="page">
      <div className="page-head">
        <h1>
          {say.changes.title} <span className="scope-name">@{idOf(scope)}</span>
        </h1>
        <div className="actions">
          <label htmlFor={id}>{say.changes.since}</label>
          <select
            id={id}
            className="button"
            value={days}
            onChange={(event) => setDays(Number(event.target.value))}
          >
            {DAYS.map((value) => (
              <option key={value} value={value}>
                {say.changes.days(value)}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="button"
            aria-pressed={withNoise}
            onClick={() => setNoise(!withNoise)}
          >
            {say.changes.noise}
          </button>
          {hasKey ? null : (
            <a className="button" href={`/v1/${scope}/changes.atom`}>
              {say.changes.feed}
            </a>
          )}
          <button
            type="button"
            className="button"
            aria-expanded={isWatching}
            onClick={() => setWatching(!isWatching)}
          >
            {say.changes.watch}
          </button>
        </div>
      </div>
      {isWatching ? (
        <WatchForm
          watched={{ scope }}
          title={say.changes.watching(idOf(scope))}
          reasons={reasons}
          least={least}
        />
      ) : null}
      {problem ? (
        <ProblemNotice
          problem={problem}
          action={
            <button type="button" className="button" onClick={() => chosen.refetch()}>
              {say.again}
            </button>
          }
        />
      ) : null}
      {known.length > 0 || isFiltered ? (
        <Filters
          known={known}
          reasons={reasons}
          onReasons={setReasons}
          least={least}
          onLeast={setLeast}
        />
      ) : null}
      {chosen.data && shown.length === 0 ? (
        <div className="empty">
          <p>{isFiltered ? say.changes.noneFits : say.changes.none}</p>
          {isFiltered || days < DAYS_MAX ? (
            <button
              type="button"
              className="button"
              onClick={isFiltered ? clear : () => setDays(DAYS_MAX)}
            >
              {isFiltered ? say.changes.clear : say.changes.longer}
            </button>
          ) : null}
        </div>
      ) : null}
      {shown.length > 0 ? (
        <section className="pane" aria-labelledby={`${id}-list`}>
          <div className="pane-head">
            <h2 id={`${id}-list`}>{say.changes.list}</h2>
            <span className="small quiet" role="status">
              {say.changes.count(shown.length, all.data?.changes.length ?? shown.length)}
            </span>
            <StepButtons previous={say.changes.previous} next={say.changes.next} onStep={step} />
          </div>
          <div className="jumped">
            <ol className="timeline" ref={list}>
              {shown.map((change) => (
                <Change key={`${change.name}${change.toVersion}${change.news}`} change={change} />
              ))}
            </ol>
            <JumpStrip
              label={say.changes.jump}
              jumps={shown.map((change, place) => jumpOf(change, place, shown.length))}
              below={list}
            />
          </div>
          {chosen.data?.truncated ? (
            <p className="pane-body small quiet">{say.changes.truncated}</p>
          ) : null}
        </section>
      ) : null}
    </div>
  );
}

interface Asked {
  days: number;
  withNoise: boolean;
  /** Empty for every reason. */
  reasons: string[];
}

function useChanges(scope: string, { days, withNoise, reasons }: Asked) {
  const { api } = useSession();
  return useQuery<{ changes: PageChange[]; truncated: boolean }, Problem>({
    queryKey: ["changes", scope, days, withNoise, reasons],
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      const counted = reasons.length > 0 ? { countedReasons: reasons } : {};
      const query = { since, withNoise, pageSize: PAGES_SHOWN, ...counted };
      const params = { path: { scope: idOf(scope) }, query };
      const found = await read(api.GET("/v1/scopes/{scope}/changes", { params, signal }));
      return { changes: found.changes ?? [], truncated: found.truncated ?? false };
    },
  });
}

interface FiltersProps {
  known: [string, number][];
  reasons: string[];
  onReasons: (reasons: string[]) => void;
  least: number;
  onLeast: (least: number) => void;
}

function Filters({ known, reasons, onReasons, least, onLeast }: FiltersProps) {
  const id = useId();
  const turned = (reason: string) =>
    reasons.includes(reason) ? reasons.filter((one) => one !== reason) : [...reasons, reason];
  const said = say.changes.weighs(least.toFixed(DIGITS));
  return (
    <search className="filters" aria-label={say.changes.filters}>
      <fieldset className="filter-reasons">
        <legend className="field-label">{say.changes.reasons}</legend>
        {known.map(([reason, count]) => (
          <button
            key={reason}
            type="button"
            className="button"
            data-size="small"
            aria-pressed={reasons.includes(reason)}
            onClick={() => onReasons(turned(reason))}
          >
            {say.changes.withReason(say.kinds.reasons[reason] ?? reason, count)}
          </button>
        ))}
      </fieldset>
      <div className="field filter-weight">
        <label htmlFor={id}>{say.changes.weight}</label>
        <input
          id={id}
          type="range"
          min="0"
          max="1"
          step="0.05"
          value={least}
          aria-valuetext={said}
          onChange={(event) => onLeast(Number(event.target.value))}
        />
        <output htmlFor={id} className="small">
          {said}
        </output>
      </div>
    </search>
  );
}
