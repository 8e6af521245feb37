import { type DiffHunk, idOf, type PageVersion, read } from "@scops/api";
import { InlineDiff, kindText, Notice, Time } from "@scops/ui";
import { useEffect, useState } from "react";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { markPage, mayRead, unmarkPage } from "../page/tab.ts";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { latestOf, type Place } from "./place.ts";
import { additions, changesSince, hasChanged, type Seen, seenPages, withSeen } from "./seen.ts";

const GONE = 404;

/** What changed on the page since one saw it last. */
export function SinceSeen({ place }: { place: Place }) {
  const page = place.located.page?.name ?? "";
  const latest = latestOf(place);
  const [seen, setSeen] = useState<Seen | "never">();
  useEffect(() => {
    let isShown = true;
    void seenPages.get().then(async (all) => {
      if (!isShown || !latest) return;
      setSeen(all[page] ?? "never");
      if (!all[page]) await seenPages.set(withSeen(all, page, latest, new Date()));
    });
    return () => {
      isShown = false;
    };
  }, [page, latest]);
  if (!seen || !latest) return null;
  if (seen === "never") return <p className="small quiet">{say.seen.first}</p>;
  if (!hasChanged(seen, latest)) {
    return (
      <p className="small quiet">
        {say.seen.same} <Time at={seen.at} />
      </p>
    );
  }
  const mark = async () => {
    const all = withSeen(await seenPages.get(), page, latest, new Date());
    await seenPages.set(all);
    setSeen(all[page]);
  };
  return <Changed place={place} seen={seen} latest={latest} onSeen={() => void mark()} />;
}

interface ChangedProps {
  place: Place;
  seen: Seen;
  latest: PageVersion;
  onSeen: () => void;
}

function Changed({ place, seen, latest, onSeen }: ChangedProps) {
  const { api, tab } = usePanel();
  const page = idOf(place.located.page?.name);
  const versions = { fromVersion: seen.version, toVersion: latest.version ?? "" };
  const { data, problem } = useAsked(`${page} ${versions.fromVersion} ${versions.toVersion}`, () =>
    read(api.GET("/v1/pages/{page}:diff", { params: { path: { page }, query: versions } })),
  );
  const count = changesSince(seen, place.history?.versions ?? []);
  const hunks = data?.hunks ?? [];
  return (
    <section className="stack-small" aria-label={say.seen.changed(count)}>
      <h2>
        {count > 0 ? say.seen.changed(count) : say.seen.noise} <Time at={seen.at} />
      </h2>
      {problem?.status === GONE ? <Notice>{say.seen.dropped}</Notice> : null}
      {problem && problem.status !== GONE ? <ProblemNotice problem={problem} /> : null}
      {hunks.map((hunk) => (
        <Hunk hunk={hunk} key={JSON.stringify(hunk.parts)} />
      ))}
      <div className="actions">
        {tab && hunks.length > 0 ? <ShowOnPage hunks={hunks} /> : null}
        <button type="button" className="button" data-size="small" onClick={onSeen}>
          {say.seen.mark}
        </button>
      </div>
    </section>
  );
}

function Hunk({ hunk }: { hunk: DiffHunk }) {
  return (
    <div className="diff">
      <div className="diff-head">
        <span className="small" dir="auto">
          {(hunk.sectionPath ?? []).join(" › ")}
        </span>
        <span className="kind" data-kind={hunk.changeClass}>
          {kindText(hunk.changeClass, hunk.changeReasons, say)}
        </span>
      </div>
      <p className="diff-body said said-small" dir="auto">
        <InlineDiff parts={hunk.parts ?? []} />
      </p>
    </div>
  );
}

/** Marks on the page what came, where it stands word for word. */
function ShowOnPage({ hunks }: { hunks: DiffHunk[] }) {
  const { tab } = usePanel();
  const [told, setTold] = useState("");
  const [isShown, setShown] = useState(false);
  if (!tab) return null;
  const wanted = additions(hunks);
  const show = async () => {
    if (!(await mayRead(tab))) {
      setTold(say.seen.noAccess);
      return;
    }
    const states = await markPage(tab, "added", wanted);
    const found = states?.filter((state) => state === "found").length ?? 0;
    setShown(found > 0);
    if (!states) setTold(say.seen.noAccess);
    else setTold(found > 0 ? say.seen.shown(found, wanted.length) : say.seen.notShown);
  };
  if (wanted.length === 0) return <span className="small quiet">{say.seen.nothing}</span>;
  return (
    <>
      <button
        type="button"
        className="button"
        data-size="small"
        data-kind="main"
        onClick={async () => {
          if (!isShown) return show();
          await unmarkPage(tab);
          setShown(false);
          setTold("");
        }}
      >
        {isShown ? say.seen.hide : say.seen.show}
      </button>
      <span className="small quiet" role="status">
        {told}
      </span>
    </>
  );
}
