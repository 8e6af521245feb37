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
  const told = kindText(kind, change.changeReasons, say);
  const edits = change.edits ?? [];
  return (
    <li>
      <div className="timeline-head">
        <Link href={`/${change.name}`} className="cited-title" data-step="">
          {change.title || shortAddress(change.uri ?? "")}
        </Link>
        <span className="kind" data-kind={kind}>
          {told}
        </span>
        {change.salience ? (
          <span className="small quiet">{say.changes.weighs(change.salience.toFixed(DIGITS))}</span>
        ) : null}
        <Time at={change.observedTime ?? ""} />
      </div>
      <span className="address quiet small">{shortAddress(change.uri ?? "")}</span>
      <ul className="stack-small">
        {edits.map((edit) => (
          <Edit
            key={`${edit.fromStart}-${edit.toStart}`}
            edit={edit}
            told={edits.length === 1 ? told : ""}
          />
        ))}
      </ul>
    </li>
  );
}

interface EditProps {
  edit: TextEdit;
  /** What is said of it already, above. */
  told: string;
}

function Edit({ edit, told }: EditProps) {
  const kind = kindText(edit.changeClass ?? "", edit.reasons, say);
  return (
    <li>
      <p className="said said-small" dir="auto">
        {edit.fromText ? <del>{edit.fromText}</del> : null}{" "}
        {edit.toText ? <ins>{edit.toText}</ins> : null}
      </p>
      {kind === told ? null : (
        <span className="kind" data-kind={edit.changeClass ?? ""}>
          {kind}
        </span>
      )}
    </li>
  );
}
