import { browser } from "@wxt-dev/browser";
import { useEffect, useId, useState } from "react";
import { badgeChoice } from "../badge/badge.ts";
import { hostsWritten } from "../badge/hosts.ts";
import { seenPages } from "../card/seen.ts";
import { say } from "../messages/index.ts";
import { endKey } from "../server/pairing.ts";
import { usePanel } from "../server/panel.tsx";
import { pairedServer } from "../server/server.ts";

/** Who this browser is paired with, and what the icon shows. */
export function SettingsPart() {
  const { server, api, caller } = usePanel();
  const forget = async () => {
    await endKey(api, server);
    await badgeChoice.set({ ...(await badgeChoice.get()), isOn: false });
    await seenPages.set({});
    await pairedServer.set(undefined);
  };
  return (
    <div className="panel-body stack">
      <h1>{say.settings}</h1>
      <section className="stack-small">
        <h2>{say.settingsPart.server}</h2>
        <p className="address">{server.url}</p>
        <p className="small">
          {say.settingsPart.you} <strong>{caller?.principal ?? server.principal}</strong>
          {caller?.credential === "CREDENTIAL_KIND_LOCAL" ? ` ${say.settingsPart.local}` : null}
        </p>
        <p>
          <button type="button" className="button" onClick={() => void forget()}>
            {say.settingsPart.forget}
          </button>
        </p>
        <p className="field-hint">{say.settingsPart.forgetHint}</p>
      </section>
      <BadgeForm />
    </div>
  );
}

function BadgeForm() {
  const [isOn, setOn] = useState(false);
  const [excluded, setExcluded] = useState("");
  const [told, setTold] = useState("");
  const id = useId();
  useEffect(() => {
    void badgeChoice.get().then((choice) => {
      setOn(choice.isOn);
      setExcluded(choice.excluded.join("\n"));
    });
  }, []);
  return (
    <form
      className="stack-small"
      aria-label={say.settingsPart.badge}
      onSubmit={async (event) => {
        event.preventDefault();
        // The addresses of tabs are read for the badge alone, and only once it is wanted.
        const may = !isOn || (await browser.permissions.request({ permissions: ["tabs"] }));
        setOn(isOn && may);
        await badgeChoice.set({ isOn: isOn && may, excluded: hostsWritten(excluded) });
        setTold(may ? say.settingsPart.saved : "");
      }}
    >
      <h2>{say.settingsPart.badge}</h2>
      <label className="check">
        <input type="checkbox" checked={isOn} onChange={() => setOn(!isOn)} />
        {say.settingsPart.badgeOn}
      </label>
      <p className="field-hint">{say.settingsPart.badgeWhat}</p>
      <div className="field">
        <label htmlFor={id}>{say.settingsPart.excluded}</label>
        <textarea
          id={id}
          className="input area"
          spellCheck={false}
          value={excluded}
          aria-describedby={`${id}-hint`}
          onChange={(event) => setExcluded(event.target.value)}
        />
        <span id={`${id}-hint`} className="field-hint">
          {say.settingsPart.excludedHint}
        </span>
      </div>
      <div className="actions">
        <button type="submit" className="button">
          {say.settingsPart.save}
        </button>
        <span className="small quiet" role="status">
          {told}
        </span>
      </div>
    </form>
  );
}
