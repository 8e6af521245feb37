import { idOf, type Problem, read, type Watch } from "@scops/api";
import { Confirm, Notice } from "@scops/ui";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { say } from "../../messages/index.ts";
import { ProblemNotice } from "../../messages/ProblemNotice.tsx";
import { useSession } from "../../session/session.tsx";

const KEY = ["watches"];
const LISTED = 100;
const DIGITS = 2;
const KINDS = ["KIND_WEBHOOK", "KIND_EMAIL", "KIND_APPRISE"] as const;
const EXAMPLES = {
  KIND_WEBHOOK: "https://hooks.example.org/in",
  KIND_EMAIL: "ann@example.org",
  KIND_APPRISE: "slack://…",
};
const EVERY = ["EVERY_CHANGE", "EVERY_HOUR", "EVERY_DAY", "EVERY_WEEK"] as const;

/** What is watched: all pages of a scope, or one page; by name. */
export type Watched = { scope: string } | { page: string };

interface WatchFormProps {
  watched: Watched;
  title: string;
  /** Reasons that are filtered by; empty for every one. */
  reasons: string[];
  least: number;
}

/** Makes a watch of what the filters show, and ends those that are there. */
export function WatchForm({ watched, title, reasons, least }: WatchFormProps) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [kind, setKind] = useState<(typeof KINDS)[number]>("KIND_WEBHOOK");
  const [address, setAddress] = useState("");
  const [every, setEvery] = useState<(typeof EVERY)[number]>("EVERY_CHANGE");
  const first = useRef<HTMLSelectElement>(null);
  const id = useId();
  useEffect(() => first.current?.focus(), []);
  const onSettled = () => queries.invalidateQueries({ queryKey: KEY });
  const watches = useQuery<Watch[], Problem>({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const params = { query: { pageSize: LISTED } };
      return (await read(api.GET("/v1/watches", { params, signal }))).watches ?? [];
    },
  });
  const create = useMutation({
    mutationFn: () => {
      const condition = {
        ...(reasons.length > 0 ? { countedReasons: reasons } : {}),
        ...(least > 0 ? { salienceMin: least } : {}),
      };
      const target = { kind, address: address.trim() };
      return read(
        api.POST("/v1/watches", { body: { ...watched, condition, target, schedule: { every } } }),
      );
    },
    onSuccess: () => setAddress(""),
    onSettled,
  });
  const end = useMutation<unknown, Problem, string>({
    mutationFn: (name) =>
      read(api.DELETE("/v1/watches/{watch}", { params: { path: { watch: idOf(name) } } })),
    onSettled,
  });
  const problem = (create.error as Problem | null) ?? end.error ?? watches.error;
  const here = (watches.data ?? []).filter((watch) => isOf(watch, watched));
  return (
    <section className="pane watch" aria-labelledby={`${id}-title`}>
      <div className="pane-head">
        <h2 id={`${id}-title`}>{title}</h2>
      </div>
      <div className="pane-body stack-small">
        {problem ? <ProblemNotice problem={problem} /> : null}
        <form
          className="short-form"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate();
          }}
        >
          <div className="field">
            <label htmlFor={`${id}-kind`}>{say.changes.how}</label>
            <select
              id={`${id}-kind`}
              ref={first}
              className="input"
              value={kind}
              onChange={(event) => setKind(event.target.value as typeof kind)}
            >
              {KINDS.map((one) => (
                <option key={one} value={one}>
                  {say.changes.kinds[one]}
                </option>
              ))}
            </select>
          </div>
          <div className="field">
            <label htmlFor={`${id}-address`}>{say.changes.where}</label>
            <input
              id={`${id}-address`}
              className="input"
              data-voice="address"
              placeholder={EXAMPLES[kind]}
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          </div>
          <div className="field">
            <label htmlFor={`${id}-every`}>{say.changes.often}</label>
            <select
              id={`${id}-every`}
              className="input"
              value={every}
              onChange={(event) => setEvery(event.target.value as typeof every)}
            >
              {EVERY.map((one) => (
                <option key={one} value={one}>
                  {say.changes.every[one]}
                </option>
              ))}
            </select>
          </div>
          <button
            type="submit"
            className="button"
            data-kind="main"
            disabled={!address.trim() || create.isPending}
          >
            {say.changes.create}
          </button>
        </form>
        <p className="small quiet">
          {say.changes.condition(
            reasons.map((one) => say.kinds.reasons[one] ?? one).join(", ") || say.changes.anyReason,
            least.toFixed(DIGITS),
          )}
        </p>
        <div role="status">
          {create.data?.secret ? (
            <Notice>
              {say.changes.secret} <code className="address secret">{create.data.secret}</code>
            </Notice>
          ) : null}
        </div>
        {here.length > 0 ? (
          <ul className="rule-list" aria-label={say.changes.watches}>
            {here.map((watch) => (
              <li key={watch.name}>
                <span className="address">{watch.target?.address}</span>
                <span className="small quiet">
                  {[
                    say.changes.every[watch.schedule?.every ?? ""],
                    say.changes.watchStates[watch.state ?? ""],
                    watch.endReason,
                  ]
                    .filter(Boolean)
                    .join(", ")}
                </span>
                <Confirm
                  label={say.changes.unwatch}
                  about={say.changes.unwatchOne(watch.target?.address ?? "")}
                  question={say.changes.unwatchQuestion}
                  keep={say.changes.keep}
                  disabled={end.isPending}
                  onConfirm={() => end.mutate(watch.name ?? "")}
                />
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </section>
  );
}

function isOf(watch: Watch, watched: Watched): boolean {
  return "page" in watched ? watch.page === watched.page : watch.scope === watched.scope;
}
