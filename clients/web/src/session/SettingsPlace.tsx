import type { WhoAmI } from "@scops/api";
import { useId, useState } from "react";
import { areLettersKeys, setLettersKeys } from "../keys.ts";
import { say } from "../messages/index.ts";
import { chooseLanguage, chosenLanguage, LANGUAGES } from "../messages/language.ts";
import { isLocal, useSession } from "./session.tsx";

/** What the reader chooses in this browser, and who the reader is. */
export function SettingsPlace({ caller }: { caller: WhoAmI }) {
  return (
    <div className="page stack">
      <div className="page-head">
        <h1>{say.settings.title}</h1>
      </div>
      <LanguageChoice />
      <Letters />
      <Account caller={caller} />
    </div>
  );
}

function LanguageChoice() {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{say.settings.language}</label>
      <select
        id={id}
        className="input"
        value={chosenLanguage() ?? ""}
        onChange={(event) => {
          chooseLanguage(event.target.value);
          location.reload();
        }}
      >
        <option value="">{say.settings.byBrowser}</option>
        {Object.entries(LANGUAGES).map(([language, name]) => (
          <option key={language} value={language} lang={language}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Letters() {
  const [areKeys, setKeys] = useState(areLettersKeys);
  const id = useId();
  return (
    <div className="field">
      <label className="option">
        <input
          type="checkbox"
          checked={areKeys}
          aria-describedby={id}
          onChange={(event) => {
            setLettersKeys(event.target.checked);
            setKeys(event.target.checked);
          }}
        />
        {say.settings.letters}
      </label>
      <span className="field-hint" id={id}>
        {say.settings.lettersWhat}
      </span>
    </div>
  );
}

/** Says who one is, and by what. */
function Account({ caller }: { caller: WhoAmI }) {
  const { hasKey, leave } = useSession();
  return (
    <section className="stack-small" aria-labelledby="account-title">
      <h2 id="account-title">{say.settings.account}</h2>
      <dl className="pairs">
        <dt>{say.session.you}</dt>
        <dd className="address">{caller.principal}</dd>
        <dt>{say.session.credential}</dt>
        <dd>{say.session.credentials[caller.credential ?? ""]}</dd>
        {caller.groups?.length ? (
          <>
            <dt>{say.session.groups}</dt>
            <dd className="address">{caller.groups.join(", ")}</dd>
          </>
        ) : null}
      </dl>
      {hasKey && !isLocal(caller) ? (
        <p className="actions">
          <button type="button" className="button" onClick={leave}>
            {say.session.leave}
          </button>
        </p>
      ) : null}
    </section>
  );
}
