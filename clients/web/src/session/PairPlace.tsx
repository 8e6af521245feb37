import { type Problem, read, type WhoAmI } from "@scops/api";
import { Notice } from "@scops/ui";
import { useMutation } from "@tanstack/react-query";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { isLocal, useSession } from "./session.tsx";

/** How long the key of a browser counts. */
const LASTS_MS = 365 * 24 * 60 * 60 * 1000;

/**
 * Makes a key for the browser extension that opened this page.
 *
 * The extension takes it from the element that names it, and closes the page. Nothing is handed to
 * anybody: who may read this page is the extension that was let reach this server.
 */
export function PairPlace({ caller }: { caller: WhoAmI }) {
  const { api } = useSession();
  const { data, error, isPending, mutate } = useMutation<{ name: string; secret: string }, Problem>(
    {
      mutationFn: async () => {
        const expireTime = new Date(Date.now() + LASTS_MS).toISOString();
        const body = { displayName: say.pairing.keyName, role: "SCOPE_ROLE_EDITOR", expireTime };
        const made = await read(
          api.POST("/v1/keys", { body: body as { role: "SCOPE_ROLE_EDITOR" } }),
        );
        return { name: made.key?.name ?? "", secret: made.secret ?? "" };
      },
    },
  );
  return (
    <div className="first">
      <div className="first-head">
        <h1>{say.pairing.title}</h1>
        <p>{isLocal(caller) ? say.pairing.local : say.pairing.what(caller.principal ?? "")}</p>
      </div>
      {error ? <ProblemNotice problem={error} /> : null}
      {data ? (
        <>
          <Notice>{say.pairing.made(data.name.split("/").pop() ?? "")}</Notice>
          <span hidden data-pairing-key={data.name}>
            {data.secret}
          </span>
        </>
      ) : null}
      {!data && !isLocal(caller) ? (
        <button
          type="button"
          className="button"
          data-kind="main"
          data-size="large"
          aria-busy={isPending}
          onClick={() => mutate()}
        >
          {say.pairing.go}
        </button>
      ) : null}
    </div>
  );
}
