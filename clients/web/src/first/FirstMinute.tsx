import { Mark } from "@scops/ui";
import { Check } from "lucide-react";
import { useId, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { JobProgress } from "../jobs/JobProgress.tsx";
import { isEnded, readable, useJob } from "../jobs/useJob.ts";
import { say } from "../messages/index.ts";
import { addressOf } from "./address.ts";
import { Plan } from "./Plan.tsx";

/** Pages after which a question is possible while a crawl goes on. */
const PAGES_TO_ASK = 5;

/** From an address to a first question: address, what it costs, crawl, ask. */
export function FirstMinute() {
  const [search, setSearch] = useSearchParams();
  const [address, setAddress] = useState<URL>();
  const [scope, job] = [search.get("scope"), search.get("job")];
  if (scope && job) return <Crawl scope={scope} job={job} />;
  return (
    <div className="first">
      <div className="first-head">
        <Mark size="large" />
        <h1>{say.first.title}</h1>
        <p>{say.first.lead}</p>
      </div>
      <ol className="steps">
        {address ? (
          <>
            <Done text={address.href} onChange={() => setAddress(undefined)} />
            <li className="step">
              <Plan address={address} onCrawl={(next) => setSearch(next)} />
            </li>
          </>
        ) : (
          <li>
            <Address onShow={setAddress} />
          </li>
        )}
      </ol>
      {address ? null : <p className="quiet small">{say.first.foot}</p>}
    </div>
  );
}

function Address({ onShow }: { onShow: (address: URL) => void }) {
  const [pasted, setPasted] = useState("");
  const [isWrong, setWrong] = useState(false);
  const id = useId();
  return (
    <form
      className="with-button"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const address = addressOf(pasted);
        setWrong(!address);
        if (address) onShow(address);
      }}
    >
      <div className="field">
        <label htmlFor={id}>{say.first.address}</label>
        <input
          id={id}
          className="input"
          data-size="large"
          data-voice="address"
          type="url"
          inputMode="url"
          autoComplete="url"
          placeholder="https://docs.example.org/guide/"
          value={pasted}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          onChange={(event) => setPasted(event.target.value)}
        />
        {isWrong ? (
          <span className="field-error" id={`${id}-error`} role="alert">
            {say.first.notAddress}
          </span>
        ) : null}
      </div>
      <button type="submit" className="button" data-kind="main" data-size="large">
        {say.first.show}
      </button>
    </form>
  );
}

function Done({ text, onChange }: { text: string; onChange?: () => void }) {
  return (
    <li className="step" data-done>
      <div className="step-line">
        <p>
          <Check className="icon" aria-hidden="true" /> <span className="address">{text}</span>
        </p>
        {onChange ? (
          <button type="button" className="button" data-kind="quiet" onClick={onChange}>
            {say.first.change}
          </button>
        ) : null}
      </div>
    </li>
  );
}

function Crawl({ scope, job }: { scope: string; job: string }) {
  const followed = useJob(job);
  const [, go] = useLocation();
  const [query, setQuery] = useState("");
  const id = useId();
  const found = followed.data?.job;
  const ready = readable(found?.counts);
  const hasEnded = found !== undefined && isEnded(found);
  const mayAsk = ready >= PAGES_TO_ASK || (hasEnded && ready > 0);
  return (
    <div className="first">
      <h1 className="hidden">{say.first.title}</h1>
      <ol className="steps">
        <Done text={`@${scope}`} />
        <li className="step">
          <h2>{hasEnded ? say.first.crawled : say.first.crawling}</h2>
          <JobProgress followed={followed} name={job} />
        </li>
        <li className="step stack">
          <div className="split">
            <h2>{say.ask}</h2>
            <p className="quiet small" role="status">
              {mayAsk ? say.first.canAnswer(ready) : say.first.waitsForPages}
            </p>
          </div>
          <form
            className="with-button"
            onSubmit={(event) => {
              event.preventDefault();
              const asked = new URLSearchParams({ scope, q: query.trim() });
              if (query.trim()) go(`/ask?${asked}`);
            }}
          >
            <div className="field">
              <label htmlFor={id}>{say.first.question}</label>
              <input
                id={id}
                className="input"
                data-size="large"
                placeholder={say.first.askHint(scope)}
                value={query}
                onChange={(event) => setQuery(event.target.value)}
              />
            </div>
            <button
              type="submit"
              className="button"
              data-kind="main"
              data-size="large"
              disabled={!mayAsk}
            >
              {say.ask}
            </button>
          </form>
        </li>
      </ol>
    </div>
  );
}
