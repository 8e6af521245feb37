import { idOf, read, type Scope } from "@scops/api";
import { Plus, X } from "lucide-react";
import { useId, useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import {
  type Draft,
  type DraftRule,
  draftOf,
  isSame,
  KINDS,
  linesOf,
  type RuleKind,
  rulesOf,
  withRule,
} from "./draft.ts";
import { Preview } from "./Preview.tsx";
import { useScopeChange } from "./useScopeChange.ts";

const MASK = "rules,seeds,sitemaps";

interface RulesProps {
  scope: Scope;
  /** What a file holds, to begin with in place of what the scope does. */
  taken: Draft | undefined;
  mayEdit: boolean;
}

/** Rules, seeds and sitemaps; what a change would let in and out is shown before it is made. */
export function Rules({ scope, taken, mayEdit }: RulesProps) {
  const [draft, setDraft] = useState<Draft>(() => taken ?? draftOf(scope));
  const [reason, setReason] = useState("");
  const id = useId();
  const name = scope.name ?? "";
  const save = useScopeChange<Draft>(name, (api, changed) => {
    const params = {
      path: { scope: idOf(name) },
      query: { updateMask: MASK, ...(reason.trim() ? { reason: reason.trim() } : {}) },
    };
    const body = {
      rules: rulesOf(changed),
      seeds: linesOf(changed.seeds),
      sitemaps: linesOf(changed.sitemaps),
      ...(scope.etag ? { etag: scope.etag } : {}),
    };
    return read(api.PATCH("/v1/scopes/{scope}", { params, body }));
  });
  const change = (rule: DraftRule) =>
    setDraft({ ...draft, rules: draft.rules.map((one) => (one.id === rule.id ? rule : one)) });
  const isChanged = !isSame(draft, scope);
  return (
    <form
      className="pane"
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <div className="pane-head">
        <h2 id={`${id}-title`}>{say.scopesPlace.rules}</h2>
        {mayEdit ? (
          <button
            type="button"
            className="button"
            data-size="small"
            onClick={() => setDraft(withRule(draft))}
          >
            <Plus className="icon icon-small" aria-hidden="true" /> {say.studio.addRule}
          </button>
        ) : null}
      </div>
      <div className="pane-body stack">
        <ul className="rule-list" aria-label={say.scopesPlace.rules}>
          {draft.rules.map((rule, place) => (
            <RuleRow
              key={rule.id}
              rule={rule}
              number={place + 1}
              mayEdit={mayEdit}
              onChange={change}
              onDrop={() =>
                setDraft({ ...draft, rules: draft.rules.filter((one) => one.id !== rule.id) })
              }
            />
          ))}
        </ul>
        <p className="small quiet">{say.studio.excludeWins}</p>
        {(["seeds", "sitemaps"] as const).map((field) => (
          <div className="field" key={field}>
            <label htmlFor={`${id}-${field}`}>{say.studio[field]}</label>
            <textarea
              id={`${id}-${field}`}
              className="input"
              data-voice="address"
              rows={2}
              readOnly={!mayEdit}
              value={draft[field]}
              aria-describedby={`${id}-${field}-hint`}
              onChange={(event) => setDraft({ ...draft, [field]: event.target.value })}
            />
            <span className="field-hint" id={`${id}-${field}-hint`}>
              {say.studio.oneALine}
            </span>
          </div>
        ))}
        <Preview name={name} rules={rulesOf(draft)} isChanged={isChanged} />
        {save.error ? <ProblemNotice problem={save.error} /> : null}
        {mayEdit && isChanged ? (
          <>
            <div className="field">
              <label htmlFor={`${id}-reason`}>{say.studio.reason}</label>
              <input
                id={`${id}-reason`}
                className="input"
                maxLength={500}
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            </div>
            <div className="actions">
              <button
                type="submit"
                className="button"
                data-kind="main"
                disabled={save.isPending}
                aria-busy={save.isPending}
              >
                {say.studio.save}
              </button>
              <button type="button" className="button" onClick={() => setDraft(draftOf(scope))}>
                {say.studio.discard}
              </button>
            </div>
          </>
        ) : null}
      </div>
    </form>
  );
}

interface RuleRowProps {
  rule: DraftRule;
  number: number;
  mayEdit: boolean;
  onChange: (rule: DraftRule) => void;
  onDrop: () => void;
}

function RuleRow({ rule, number, mayEdit, onChange, onDrop }: RuleRowProps) {
  return (
    <li>
      <select
        className="button"
        data-size="small"
        aria-label={say.studio.direction(number)}
        disabled={!mayEdit}
        value={rule.exclude ? "out" : "in"}
        onChange={(event) => onChange({ ...rule, exclude: event.target.value === "out" })}
      >
        <option value="in">{say.scopesPlace.in}</option>
        <option value="out">{say.scopesPlace.out}</option>
      </select>
      <select
        className="button"
        data-size="small"
        aria-label={say.studio.kind(number)}
        disabled={!mayEdit}
        value={rule.kind}
        onChange={(event) => onChange({ ...rule, kind: event.target.value as RuleKind })}
      >
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {say.rules[kind]}
          </option>
        ))}
      </select>
      <input
        className="input"
        data-voice="address"
        aria-label={say.studio.pattern(number)}
        readOnly={!mayEdit}
        value={rule.pattern}
        onChange={(event) => onChange({ ...rule, pattern: event.target.value })}
      />
      {mayEdit ? (
        <button
          type="button"
          className="icon-button"
          aria-label={say.studio.drop(number)}
          onClick={onDrop}
        >
          <X className="icon" aria-hidden="true" />
        </button>
      ) : null}
    </li>
  );
}
