import { idOf, type PageText, type PageVersion, type Problem, read } from "@scops/api";
import { exact, relative } from "@scops/ui";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import { dayOf, staysOf, versionOn } from "./stays.ts";

const CHARACTERS = 80_000;

interface TimeTravelProps {
  page: string;
  /** Newest first. */
  versions: PageVersion[];
  chosen: string;
  onChoose: (version: string) => void;
}

/** The text of the page as it was: by a slider over its versions, or by a day. */
export function TimeTravel({ page, versions, chosen, onChoose }: TimeTravelProps) {
  const [isMissing, setMissing] = useState(false);
  const id = useId();
  const at = versions.findIndex((one) => one.version === chosen);
  const version = versions[at];
  const place = versions.length - at;
  const said = version ? period(version, say.page.number(place)) : "";
  const choose = (found: PageVersion | undefined) => {
    setMissing(found === undefined);
    if (found?.version) onChoose(found.version);
  };
  return (
    <section className="pane" aria-labelledby={`${id}-title`}>
      <div className="pane-head">
        <h2 id={`${id}-title`}>{say.page.asItWas}</h2>
        {version ? <Standing isCurrent={!version.observedToTime} /> : null}
      </div>
      <div className="pane-body stack-small">
        <div className="then-tools">
          <div className="field">
            <label htmlFor={`${id}-version`}>{say.page.version}</label>
            <Stays versions={versions} chosen={chosen} />
            <input
              id={`${id}-version`}
              type="range"
              min={1}
              max={versions.length}
              value={place}
              aria-valuetext={said}
              onChange={(event) => choose(versions[versions.length - Number(event.target.value)])}
            />
            <output htmlFor={`${id}-version`} className="small quiet">
              {said}
            </output>
          </div>
          <div className="field">
            <label htmlFor={`${id}-day`}>{say.page.day}</label>
            <input
              id={`${id}-day`}
              className="input"
              type="date"
              min={dayOf(versions.at(-1))}
              defaultValue={dayOf(version)}
              key={chosen}
              onChange={(event) => choose(versionOn(versions, event.target.value))}
            />
          </div>
        </div>
        {isMissing ? <p className="field-error">{say.page.notYet}</p> : null}
        {version?.droppedReason ? (
          <p className="quiet">{say.page.dropped}</p>
        ) : (
          <Text page={page} version={chosen} name={said} />
        )}
      </div>
    </section>
  );
}

function Standing({ isCurrent }: { isCurrent: boolean }) {
  return (
    <span className="state" data-state={isCurrent ? "current" : "superseded"}>
      {isCurrent ? say.page.current : say.page.superseded}
    </span>
  );
}

function Stays({ versions, chosen }: { versions: PageVersion[]; chosen: string }) {
  return (
    <svg className="stays" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {staysOf(versions, Date.now()).map((stay, place) => (
        <rect
          key={stay.version}
          x={stay.start}
          width={Math.max(stay.width - 0.4, 0.4)}
          height={8}
          data-current={place === versions.length - 1 ? "" : undefined}
          data-chosen={stay.version === chosen ? "" : undefined}
        />
      ))}
    </svg>
  );
}

interface TextProps {
  page: string;
  version: string;
  /** What the text is called. */
  name: string;
}

function Text({ page, version, name }: TextProps) {
  const { api } = useSession();
  const text = useQuery<PageText, Problem>({
    queryKey: ["text", page, version],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { version, characterLimit: CHARACTERS };
      const params = { path: { page: idOf(page) }, query };
      return read(api.GET("/v1/pages/{page}:read", { params, signal }));
    },
  });
  if (text.error) {
    return (
      <ProblemNotice
        problem={text.error}
        action={
          <button type="button" className="button" onClick={() => text.refetch()}>
            {say.again}
          </button>
        }
      />
    );
  }
  if (!text.data) return <p role="status">{say.loading}</p>;
  const isPartial = (text.data.end ?? 0) < (text.data.wantedEnd ?? 0);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
      <section className="said said-medium then-text" tabIndex={0} aria-label={name}>
        <div dir="auto" lang={text.data.language || undefined}>
          {text.data.text}
        </div>
      </section>
      {isPartial ? <p className="small quiet">{say.page.partial}</p> : null}
    </>
  );
}

function period(version: PageVersion, place: string): string {
  const now = new Date();
  const told = (at: string) => {
    const instant = new Date(at);
    // Of one day several versions may be: then the instant tells them apart.
    const isRecent = now.getTime() - instant.getTime() < 7 * 24 * 60 * 60 * 1000;
    return isRecent ? exact(instant, say.locale) : relative(instant, now, say.locale);
  };
  const from = told(version.observedFromTime ?? "");
  if (!version.observedToTime) return say.page.stands(place, from);
  return say.page.stood(place, from, told(version.observedToTime));
}
