import { idOf, type RuleMatch } from "@scops/api";
import { shortAddress, Time } from "@scops/ui";
import { browser } from "@wxt-dev/browser";
import { useEffect, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { AddForm } from "./AddForm.tsx";
import { CaptureForm } from "./CaptureForm.tsx";
import { FetchNow } from "./FetchNow.tsx";
import { Folded } from "./Folded.tsx";
import { latestOf, type Place, placeOf, type Standing, standingOf } from "./place.ts";
import { SinceSeen } from "./SinceSeen.tsx";

const STATES: Record<Standing, string> = {
  indexed: "current",
  gone: "gone",
  matched: "open",
  "kept-out": "superseded",
  outside: "gone",
};

// A page that was added is looked at again until it is in.
const LOOKS_EVERY_MS = 1_500;
const PATIENCE_MS = 90_000;

/** How the page that one is on stands: in, let in but not fetched, or not in. */
export function PageCard({ onAsk }: { onAsk: (scopes: string[]) => void }) {
  const { api, tab } = usePanel();
  const url = tab?.url ?? "";
  const { data: place, problem, again } = useAsked(url, (signal) => placeOf(api, url, signal));
  const [awaited, setAwaited] = useState("");
  const isAwaited = awaited === url && place !== undefined && standingOf(place) === "matched";
  useEffect(() => {
    if (!isAwaited) return;
    const looking = setInterval(again, LOOKS_EVERY_MS);
    const ending = setTimeout(() => setAwaited(""), PATIENCE_MS);
    return () => {
      clearInterval(looking);
      clearTimeout(ending);
    };
  }, [isAwaited, again]);
  if (!url) return <Unseen hasTab={tab !== undefined && tab.title !== ""} />;
  return (
    <div>
      <div className="panel-page">
        <h1 dir="auto">{tab?.title || shortAddress(url)}</h1>
        <span className="address quiet">{shortAddress(url)}</span>
      </div>
      {problem ? (
        <div className="panel-body">
          <ProblemNotice problem={problem} />
        </div>
      ) : null}
      {!place && !problem ? <p className="panel-body quiet">{say.loading}</p> : null}
      {place ? (
        <Standings
          place={place}
          url={url}
          onChange={() => {
            setAwaited(url);
            again();
          }}
          onAsk={onAsk}
        />
      ) : null}
    </div>
  );
}

function Unseen({ hasTab }: { hasTab: boolean }) {
  return (
    <div className="panel-body stack">
      <h1>{hasTab ? say.card.notWeb : say.card.unseen}</h1>
      {hasTab ? null : (
        <>
          <p>{say.card.unseenHow}</p>
          <p>
            <button
              type="button"
              className="button"
              onClick={() => void browser.permissions.request({ permissions: ["tabs"] })}
            >
              {say.card.follow}
            </button>
          </p>
        </>
      )}
    </div>
  );
}

interface StandingsProps {
  place: Place;
  url: string;
  onChange: () => void;
  onAsk: (scopes: string[]) => void;
}

function Standings({ place, url, onChange, onAsk }: StandingsProps) {
  const standing = standingOf(place);
  const scopes = place.located.page?.scopes ?? [];
  const letIn = (place.located.matches ?? []).filter((match) => !match.rule?.exclude);
  const page = place.located.page;
  return (
    <>
      <div className="panel-body stack">
        <Verdict standing={standing} scopes={standing === "indexed" ? scopes : namesOf(place)} />
        {standing === "indexed" || standing === "gone" ? <Versions place={place} /> : null}
        {standing === "gone" ? <p>{say.card.goneSince}</p> : null}
        {standing === "indexed" ? <SinceSeen place={place} /> : null}
        {standing === "matched" ? (
          <>
            <p>{say.card.matchedWhy}</p>
            <Rules matches={letIn} lastReason={page?.lastReason} />
          </>
        ) : null}
        {standing === "kept-out" ? (
          <>
            <p>{say.card.keptOutWhy}</p>
            <Rules matches={place.located.matches ?? []} lastReason={undefined} />
          </>
        ) : null}
        {standing === "outside" || standing === "kept-out" ? (
          <AddForm url={url} onAdded={onChange} />
        ) : (
          <Folded title={say.add.title}>
            <AddForm url={url} onAdded={onChange} />
          </Folded>
        )}
        <Folded title={say.capture.title}>
          <CaptureForm url={url} onCaptured={onChange} />
        </Folded>
      </div>
      <footer className="panel-foot">
        {standing === "indexed" ? (
          <button type="button" className="button" data-size="small" onClick={() => onAsk(scopes)}>
            {say.card.askPage}
          </button>
        ) : null}
        {standing !== "outside" && standing !== "kept-out" ? (
          <FetchNow
            url={url}
            scope={scopes[0] ?? letIn[0]?.scope ?? ""}
            isNew={standing === "matched"}
            onFetched={onChange}
          />
        ) : null}
        {page && standing !== "matched" ? <HistoryLink page={page.name ?? ""} /> : null}
      </footer>
    </>
  );
}

function namesOf(place: Place): string[] {
  const names = (place.located.matches ?? []).map((match) => match.scope ?? "");
  return names.length > 0 ? names : (place.located.page?.scopes ?? []);
}

function Verdict({ standing, scopes }: { standing: Standing; scopes: string[] }) {
  return (
    <p className="verdict">
      <span className="state" data-state={STATES[standing]}>
        {say.card.standing[standing]}
      </span>{" "}
      {standing === "outside" ? say.card.outside : say.card.in}{" "}
      {scopes.map((scope) => (
        <span className="scope-name" key={scope}>
          @{idOf(scope)}{" "}
        </span>
      ))}
    </p>
  );
}

/** How long the text of now has stood, and what was verified of it. */
function Versions({ place }: { place: Place }) {
  const versions = place.history?.versions ?? [];
  const latest = latestOf(place);
  const captured = place.located.page?.capturedBy;
  const before = versions[1];
  const more = place.history?.truncated ? "+" : "";
  return (
    <div className="stack-small">
      <div className="versions">
        {before ? (
          <span className="version">
            <span>{say.card.version(`${versions.length - 1}${more}`)}</span>
            <Since at={before.observedFromTime} />
          </span>
        ) : (
          <span />
        )}
        <span className="version" data-current>
          <strong>{say.card.version(`${versions.length}${more}`)}</strong>
          <Since at={latest?.observedFromTime} />
        </span>
        <span className="version" data-unknown />
      </div>
      <p className="facts">
        {latest?.lastVerifiedTime ? (
          <span>
            {say.card.verified} <Time at={latest.lastVerifiedTime} />
          </span>
        ) : null}
      </p>
      {captured ? (
        <p className="facts">
          <span>
            {say.capture.by(captured)} <Time at={place.located.page?.lastFetchTime ?? ""} />
          </span>
        </p>
      ) : null}
      {place.located.page?.plan && !captured ? (
        <details className="small quiet">
          <summary>{say.card.plan}</summary>
          {place.located.page.plan}
        </details>
      ) : null}
    </div>
  );
}

function Since({ at }: { at: string | undefined }) {
  if (!at) return null;
  return (
    <span className="label">
      {say.card.since} <Time at={at} />
    </span>
  );
}

function Rules({ matches, lastReason }: { matches: RuleMatch[]; lastReason: string | undefined }) {
  return (
    <dl className="pairs">
      {matches.map(({ scope, rule }) => (
        <div key={scope} className="contents">
          <dt>{say.card.rule}</dt>
          <dd>
            <span className="scope-name">@{idOf(scope)}</span>{" "}
            <span className="address">
              {rule?.exclude ? "−" : "+"} {rule?.pattern}
            </span>
          </dd>
        </div>
      ))}
      {lastReason ? (
        <>
          <dt>{say.card.lastTry}</dt>
          <dd>{lastReason}</dd>
        </>
      ) : null}
    </dl>
  );
}

function HistoryLink({ page }: { page: string }) {
  const { server } = usePanel();
  return (
    <a
      className="button"
      data-kind="quiet"
      data-size="small"
      href={`${server.url}/${page}`}
      target="_blank"
      rel="noreferrer"
    >
      {say.card.history}
    </a>
  );
}
