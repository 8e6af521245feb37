import { fetchNow, idOf, Problem, read, type Scope } from "@scops/api";
import { Notice } from "@scops/ui";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import type { Shown } from "../page/marking.ts";
import { mayRead, readPage } from "../page/tab.ts";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { addPages, addPattern, mayAdd, mayChangeRules, newScope, PAGES_MAX } from "./adding.ts";
import { PatternPicker } from "./PatternPicker.tsx";
import { folderOf, piecesOf, ruleOf } from "./pattern.ts";

type What = "one" | "folder" | "links" | "selected";

const NEW = "";
const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** Adds the page, links of it, or a pattern of its address to a scope. */
export function AddForm({ url, onAdded }: { url: string; onAdded: () => void }) {
  const { api, caller, tab } = usePanel();
  const [what, setWhat] = useState<What>("one");
  const [shown, setShown] = useState<Shown>();
  const pieces = piecesOf(url);
  const [length, setLength] = useState(folderOf(pieces, url));
  const [into, setInto] = useState<string>();
  const [name, setName] = useState("");
  const [told, setTold] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const { data: scopes } = useAsked("scopes", async (signal) => {
    const params = { query: { pageSize: 1000 } };
    return (await read(api.GET("/v1/scopes", { params, signal }))).scopes ?? [];
  });
  if (!scopes) return null;
  const mayCreate = caller?.permissions?.includes("create_scope") ?? false;
  const open = scopes.filter(mayAdd);
  const target = into ?? open[0]?.name ?? NEW;
  const scope = open.find((one) => one.name === target);
  if (!scope && !mayCreate) return <p className="small quiet">{say.add.none}</p>;
  const uris = urisOf(what, url, shown).slice(0, PAGES_MAX);
  const isPattern = what === "folder";
  const mayNot = isPattern && scope && !mayChangeRules(scope);
  const add = async () => {
    setBusy(true);
    setProblem("");
    try {
      setTold(await added({ scope, name, uris, isPattern }));
      onAdded();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.message);
    }
    setBusy(false);
  };
  const added = async (wanted: Wanted): Promise<string> => {
    const rule = ruleOf(pieces, length);
    const named = idOf(wanted.scope?.name) || wanted.name;
    if (!wanted.scope) {
      const pages = uris.map((pattern) => ({ kind: "KIND_PAGE" as const, pattern }));
      const made = await newScope(api, wanted.name, isPattern ? [rule] : pages, uris[0] ?? url);
      await fetchNow(api, made.name ?? "", isPattern ? [] : uris);
    } else if (isPattern) await addPattern(api, wanted.scope, rule, url);
    else await addPages(api, wanted.scope.name ?? "", uris);
    return isPattern ? say.add.addedPattern(named) : say.add.added(uris.length, named);
  };
  const readLinks = async () => {
    if (tab && (await mayRead(tab))) setShown(await readPage(tab));
  };
  return (
    <form
      className="stack-small"
      aria-label={say.add.title}
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <fieldset className="checks">
        <legend className="field-label">{say.add.what}</legend>
        {(["one", "folder", "links", "selected"] as const).map((one) => (
          <label className="check" key={one}>
            <input
              type="radio"
              name={`${id}-what`}
              checked={what === one}
              onChange={() => {
                setWhat(one);
                if (one !== "one" && !shown) void readLinks();
              }}
            />
            {say.add[one]}{" "}
            {one !== "folder" && (one === "one" || shown) ? (
              <span className="quiet">{urisOf(one, url, shown).length}</span>
            ) : null}
          </label>
        ))}
      </fieldset>
      {isPattern ? (
        <PatternPicker pieces={pieces} length={length} links={shown?.links} onCut={setLength} />
      ) : null}
      {what !== "one" && !shown ? (
        <button type="button" className="button" data-size="small" onClick={() => void readLinks()}>
          {say.add.readLinks}
        </button>
      ) : null}
      <div className="field">
        <label htmlFor={`${id}-into`}>{say.add.into}</label>
        <select
          id={`${id}-into`}
          className="input"
          value={target}
          onChange={(event) => setInto(event.target.value)}
        >
          {open.map((one) => (
            <option key={one.name} value={one.name}>
              @{idOf(one.name)}
            </option>
          ))}
          {mayCreate ? <option value={NEW}>{say.add.newScope}</option> : null}
        </select>
      </div>
      {!scope ? <NameField id={`${id}-name`} name={name} onName={setName} /> : null}
      {mayNot ? <Notice>{say.add.mayNot(idOf(scope.name))}</Notice> : null}
      {problem ? <Notice kind="critical">{problem}</Notice> : null}
      <button
        type="submit"
        className="button"
        data-kind="main"
        aria-busy={isBusy}
        disabled={isBusy || Boolean(mayNot) || uris.length === 0 || (!scope && !NAME.test(name))}
      >
        {isPattern ? say.add.goPattern : say.add.go(uris.length)}
      </button>
      <p className="small" role="status">
        {told}
      </p>
    </form>
  );
}

interface Wanted {
  scope: Scope | undefined;
  name: string;
  uris: string[];
  isPattern: boolean;
}

function urisOf(what: What, url: string, shown: Shown | undefined): string[] {
  if (what === "links") return shown?.links ?? [];
  if (what === "selected") return shown?.selected ?? [];
  return [url];
}

interface NameFieldProps {
  id: string;
  name: string;
  onName: (name: string) => void;
}

function NameField({ id, name, onName }: NameFieldProps) {
  const isWrong = name !== "" && !NAME.test(name);
  return (
    <div className="field">
      <label htmlFor={id}>{say.add.name}</label>
      <input
        id={id}
        className="input"
        data-voice="address"
        autoComplete="off"
        value={name}
        aria-invalid={isWrong}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onName(event.target.value)}
      />
      <span id={`${id}-hint`} className={isWrong ? "field-error" : "field-hint"}>
        {say.add.nameWrong}
      </span>
    </div>
  );
}
