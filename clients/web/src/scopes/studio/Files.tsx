import { idOf, type Scope } from "@scops/api";
import { Notice } from "@scops/ui";
import { useId, useState } from "react";
import { download } from "../../ask/exports.ts";
import { say } from "../../messages/index.ts";
import { definitionOf, draftFrom, FILE_BYTES_MAX } from "./definition.ts";
import type { Draft } from "./draft.ts";

interface FilesProps {
  scope: Scope;
  mayEdit: boolean;
  /** Takes what a file holds into what is being written; nothing is stored by it. */
  onTake: (draft: Draft) => void;
}

/** A scope as a file, and what a file holds as its rules. */
export function Files({ scope, mayEdit, onTake }: FilesProps) {
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  const take = async (file: File | undefined) => {
    if (!file) return;
    const text = file.size <= FILE_BYTES_MAX ? await file.text().catch(() => "") : "";
    const draft = draftFrom(text);
    setWrong(!draft);
    if (draft) onTake(draft);
  };
  return (
    <section className="pane" aria-labelledby="files-title">
      <div className="pane-head">
        <h2 id="files-title">{say.files.title}</h2>
        <button
          type="button"
          className="button"
          data-size="small"
          onClick={() =>
            download(
              { text: definitionOf(scope), kind: "application/yaml", ending: "yaml" },
              idOf(scope.name),
            )
          }
        >
          {say.files.export}
        </button>
      </div>
      <div className="pane-body stack">
        {mayEdit ? (
          <div className="field">
            <label htmlFor={id}>{say.files.import}</label>
            <input
              id={id}
              className="input"
              type="file"
              accept=".yaml,.json,application/yaml,application/json"
              aria-describedby={`${id}-hint`}
              onChange={(event) => {
                void take(event.target.files?.[0]);
                // The same file may be chosen again, once it was corrected.
                event.target.value = "";
              }}
            />
            <span className="field-hint" id={`${id}-hint`}>
              {say.files.importWhat}
            </span>
          </div>
        ) : null}
        {isWrong ? <Notice kind="critical">{say.files.wrong}</Notice> : null}
        <p className="small quiet">
          {say.files.pages}{" "}
          <span className="address">
            scops export {idOf(scope.name)} {idOf(scope.name)}-export
          </span>
        </p>
      </div>
    </section>
  );
}
