import type { PageChange, TextEdit } from "@scops/api";
import { kindText, shortAddress, Time } from "@scops/ui";
import { Link } from "wouter";
import type { Jump } from "../../jumps.ts";
import { say } from "../../messages/index.ts";

const DIGITS = 2;

/** Returns the class of a change; of a page that is new or gone, that. */
function classOf(change: PageChange): string {
  return change.news === "changed" ? (change.changeClass ?? "") : (change.news ?? "");
}

/** Returns a change as a place that one jumps to. */
export function jumpOf(change: PageChange, place: number, all: number): Jump {
  const kind = classOf(change);
  const weight = change.salience ?? 0;
  const words = [
    say.page.edit(place + 1, all),
    change.title || shortAddress(change.uri ?? ""),
    kindText(kind, change.changeReasons, say),
    ...(weight > 0 ? [say.changes.weighs(weight.toFixed(DIGITS))] : []),
  ];
  return { name: words.join(", "), kind, weight };
}

/** A page that changed, with its edits; one steps to its title. */
export function Change({ change }: { change: PageChange }) {
  const kind = classOf(change);
  return (
    <li>
      <div className="timeline-head">
        <Link href={`/${change.name}`} className="cited-title" data-step="">
          {change.title || shortAddress(change.uri ?? "")}
        </Link>
        <span className="kind" data-kind={kind}>
          {kindText(kind, change.changeReasons, say)}
        </span>
        {change.salience ? (
          <span className="small quiet">{say.changes.weighs(change.salience.toFixed(DIGITS))}</span>
        ) : null}
        <Time at={change.observedTime ?? ""} />
      </div>
      <span className="address quiet small">{shortAddress(change.uri ?? "")}</span>
      <ul className="stack-small">
        {(change.edits ?? []).map((edit) => (
          <Edit key={`${edit.fromStart}-${edit.toStart}`} edit={edit} />
        ))}
      </ul>
    </li>
  );
}

function Edit({ edit }: { edit: TextEdit }) {
  const kind = edit.changeClass ?? "";
  return (
    <li>
      <p className="said said-small" dir="auto">
        {edit.fromText ? <del>{edit.fromText}</del> : null}{" "}
        {edit.toText ? <ins>{edit.toText}</ins> : null}
      </p>
      <span className="kind" data-kind={kind}>
        {kindText(kind, edit.reasons, say)}
      </span>
    </li>
  );
}
