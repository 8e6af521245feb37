import { idOf, Problem, read } from "@scops/api";
import { Notice } from "@scops/ui";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import type { PageCopy } from "../page/capturing.ts";
import { copyPage, mayRead } from "../page/tab.ts";
import { useAsked } from "../server/asked.ts";
import { usePanel } from "../server/panel.tsx";
import { mayAdd } from "./adding.ts";
import { CAPTURE_BYTES_MAX, capturePage, sizeOf } from "./capture.ts";

// What is shown of what will be sent.
const PREVIEW_CHARACTERS = 4_000;

/** Takes the page in as one sees it, for one scope, after showing what will be sent. */
export function CaptureForm({ url, onCaptured }: { url: string; onCaptured: () => void }) {
  const { api, tab } = usePanel();
  const [copy, setCopy] = useState<{ of: string; page: PageCopy }>();
  const [into, setInto] = useState<string>();
  const [told, setTold] = useState("");
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const { data: scopes } = useAsked("scopes", async (signal) => {
    const params = { query: { pageSize: 1000 } };
    return (await read(api.GET("/v1/scopes", { params, signal }))).scopes ?? [];
  });
  const open = (scopes ?? []).filter(mayAdd);
  const target = into ?? open[0]?.name ?? "";
  const page = copy?.of === url ? copy.page : undefined;
  if (open.length === 0) return scopes ? <p className="small quiet">{say.capture.none}</p> : null;
  const look = async () => {
    setTold("");
    setProblem("");
    const read = tab && (await mayRead(tab)) ? await copyPage(tab) : undefined;
    if (read) setCopy({ of: url, page: read });
    else setProblem(say.seen.noAccess);
  };
  const send = async (wanted: PageCopy) => {
    setBusy(true);
    setProblem("");
    try {
      await capturePage(api, target, url, wanted);
      setTold(say.capture.taken(idOf(target)));
      setCopy(undefined);
      onCaptured();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error.message);
    }
    setBusy(false);
  };
  return (
    <div className="stack-small">
      <p className="small">{say.capture.why}</p>
      <div className="field">
        <label htmlFor={`${id}-for`}>{say.capture.for}</label>
        <select
          id={`${id}-for`}
          className="input"
          value={target}
          onChange={(event) => setInto(event.target.value)}
        >
          {open.map((one) => (
            <option key={one.name} value={one.name}>
              @{idOf(one.name)}
            </option>
          ))}
        </select>
      </div>
      {page ? <Copied page={page} /> : null}
      {problem ? <Notice kind="critical">{problem}</Notice> : null}
      <div className="actions">
        <button
          type="button"
          className="button"
          data-size="small"
          data-kind={page ? "quiet" : undefined}
          onClick={() => void look()}
        >
          {page ? say.capture.lookAgain : say.capture.look}
        </button>
        {page ? (
          <button
            type="button"
            className="button"
            data-kind="main"
            data-size="small"
            aria-busy={isBusy}
            disabled={isBusy || page.bytes > CAPTURE_BYTES_MAX}
            onClick={() => void send(page)}
          >
            {say.capture.go(idOf(target))}
          </button>
        ) : null}
      </div>
      <p className="small" role="status">
        {told}
      </p>
    </div>
  );
}

/** What will be sent: how much, what was left out, and how it begins. */
function Copied({ page }: { page: PageCopy }) {
  const size = sizeOf(page.bytes, say.locale);
  return (
    <>
      <p className="small">{say.capture.size(size, page.scripts, page.hidden)}</p>
      {page.bytes > CAPTURE_BYTES_MAX ? (
        <Notice>{say.capture.tooLong(sizeOf(CAPTURE_BYTES_MAX, say.locale))}</Notice>
      ) : null}
      <details>
        <summary className="small">{say.capture.shown}</summary>
        <pre className="capture-shown" dir="auto">
          {page.html.slice(0, PREVIEW_CHARACTERS)}
          {page.html.length > PREVIEW_CHARACTERS ? " …" : ""}
        </pre>
      </details>
    </>
  );
}
