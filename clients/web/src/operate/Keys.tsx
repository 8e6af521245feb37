import { idOf, type Key, type Problem, read, type WhoAmI } from "@scops/api";
import { Confirm, Notice, Time } from "@scops/ui";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { say } from "../messages/index.ts";
import { useSession } from "../session/session.tsx";
import { may } from "./may.ts";
import { OperatePart } from "./OperatePart.tsx";

const SHOWN = 100;
const KEY = ["keys"];
const DAY_MS = 24 * 60 * 60 * 1000;

/** API keys: one's own, or everybody's for who manages keys; a new one is shown once. */
export function Keys({ caller }: { caller: WhoAmI }) {
  const { api } = useSession();
  const queries = useQueryClient();
  const keys = useQuery<Key[], Problem>({
    queryKey: KEY,
    queryFn: async ({ signal }) => {
      const params = { query: { pageSize: SHOWN } };
      return (await read(api.GET("/v1/keys", { params, signal }))).keys ?? [];
    },
  });
  const onSettled = () => queries.invalidateQueries({ queryKey: KEY });
  const make = useMutation({
    mutationFn: (body: Key) => read(api.POST("/v1/keys", { body })),
    onSettled,
  });
  const revoke = useMutation<unknown, Problem, string>({
    mutationFn: (name) =>
      read(api.POST("/v1/keys/{key}:revoke", { params: { path: { key: idOf(name) } }, body: {} })),
    onSettled,
  });
  return (
    <OperatePart
      id="keys"
      title={say.operate.keys}
      problem={(make.error as Problem | null) ?? revoke.error ?? keys.error}
      onAgain={() => {
        make.reset();
        revoke.reset();
        keys.refetch();
      }}
    >
      <NewKey mayForOthers={may(caller, "manage_keys")} onMake={make.mutate} />
      {make.data?.secret ? (
        <Notice>
          {say.operate.made} <code className="address secret">{make.data.secret}</code>
        </Notice>
      ) : null}
      {keys.data?.length === 0 ? <p className="quiet">{say.operate.noKeys}</p> : null}
      {keys.data?.length ? (
        <table className="table" data-dense>
          <thead>
            <tr>
              <th scope="col">{say.operate.keyName}</th>
              <th scope="col">{say.operate.owner}</th>
              <th scope="col">{say.operate.used}</th>
              <th scope="col">{say.operate.ends}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {keys.data.map((key) => (
              <KeyRow
                key={key.name}
                apiKey={key}
                isBusy={revoke.isPending}
                onRevoke={() => revoke.mutate(key.name ?? "")}
              />
            ))}
          </tbody>
        </table>
      ) : null}
    </OperatePart>
  );
}

interface KeyRowProps {
  apiKey: Key;
  isBusy: boolean;
  onRevoke: () => void;
}

function KeyRow({ apiKey, isBusy, onRevoke }: KeyRowProps) {
  const name = apiKey.displayName || idOf(apiKey.name);
  const isOver = apiKey.expireTime ? new Date(apiKey.expireTime) < new Date() : false;
  const ended = apiKey.revokeTime ?? (isOver ? apiKey.expireTime : undefined);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="address" data-label={say.operate.owner}>
        {apiKey.principal}
      </td>
      <td data-label={say.operate.used}>
        {apiKey.lastUseTime ? <Time at={apiKey.lastUseTime} /> : say.operate.never}
      </td>
      <td data-label={say.operate.ends}>
        {ended ? `${say.operate.ended} ` : ""}
        {ended || apiKey.expireTime ? (
          <Time at={ended ?? apiKey.expireTime ?? ""} />
        ) : (
          say.operate.never
        )}
      </td>
      <td>
        {ended ? null : (
          <Confirm
            label={say.operate.revoke}
            about={say.operate.revokeOne(name)}
            question={say.operate.revokeQuestion}
            keep={say.operate.keep}
            disabled={isBusy}
            onConfirm={onRevoke}
          />
        )}
      </td>
    </tr>
  );
}

interface NewKeyProps {
  mayForOthers: boolean;
  onMake: (key: Key) => void;
}

function NewKey({ mayForOthers, onMake }: NewKeyProps) {
  const [name, setName] = useState("");
  const [principal, setPrincipal] = useState("");
  const [days, setDays] = useState("90");
  const id = useId();
  const submit = () => {
    const expireTime = new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    onMake({
      displayName: name.trim(),
      ...(principal.trim() ? { principal: principal.trim() } : {}),
      ...(days ? { expireTime } : {}),
    });
    setName("");
  };
  return (
    <form
      className="short-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="field">
        <label htmlFor={id}>{say.operate.keyName}</label>
        <input
          id={id}
          className="input"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      {mayForOthers ? (
        <div className="field">
          <label htmlFor={`${id}-of`}>{say.operate.owner}</label>
          <input
            id={`${id}-of`}
            className="input"
            data-voice="address"
            placeholder="service:assistant"
            value={principal}
            onChange={(event) => setPrincipal(event.target.value)}
          />
        </div>
      ) : null}
      <div className="field">
        <label htmlFor={`${id}-days`}>{say.operate.days}</label>
        <input
          id={`${id}-days`}
          className="input"
          type="number"
          min={1}
          max={3650}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        />
      </div>
      <button type="submit" className="button" disabled={!name.trim()}>
        {say.operate.make}
      </button>
    </form>
  );
}
