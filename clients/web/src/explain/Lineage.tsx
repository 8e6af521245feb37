import type { LineageEntry } from "@scops/api";
import { InlineDiff, kindText, Time } from "@scops/ui";
import { say } from "../messages/index.ts";

const HUNKS_SHOWN = 2;
/** The reason of a version that follows none. */
const FIRST = "first_version";

/** Versions of a page, newest first; the cited one with what it changed. */
export function Lineage({ entries }: { entries: LineageEntry[] }) {
  if (entries.length === 0) return <p className="small quiet">{say.explain.noLineage}</p>;
  return (
    <ol className="lineage">
      {entries.map((entry) => (
        <li key={entry.version} data-cited={entry.cited || undefined}>
          <p>
            <span className="address quiet">{(entry.version ?? "").slice(0, 8)}</span>{" "}
            {say.explain.since} <Time at={entry.observedTime ?? ""} />{" "}
            {entry.cited ? <strong>{say.explain.thisOne} </strong> : null}
            <span className="kind" data-kind={entry.changeClass}>
              {entry.changeReasons?.includes(FIRST)
                ? say.page.first
                : kindText(entry.changeClass, entry.changeReasons, say)}
            </span>
          </p>
          {(entry.diff ?? []).slice(0, HUNKS_SHOWN).map((hunk) => (
            <p
              className="said said-small"
              dir="auto"
              key={`${hunk.sectionPath}${hunk.parts?.[0]?.text}`}
            >
              <InlineDiff parts={hunk.parts ?? []} />
            </p>
          ))}
          {(entry.diff?.length ?? 0) > HUNKS_SHOWN ? (
            <p className="label">
              {say.explain.moreEdits((entry.diff?.length ?? 0) - HUNKS_SHOWN)}
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
