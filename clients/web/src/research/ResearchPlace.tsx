import { idOf, type Problem, type Research, read } from "@scops/api";
import { Confirm, Notice, shortAddress, Time } from "@scops/ui";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { Opened } from "../ask/AskPlace.tsx";
import { ChatList } from "../ask/ChatList.tsx";
import { useConversation } from "../ask/conversation.ts";
import { Evidence } from "../ask/Evidence.tsx";
import { saveFile } from "../ask/exports.ts";
import { Turns } from "../ask/Turns.tsx";
import { useAnswerKeys } from "../ask/useAnswerKeys.ts";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import { LookedAt, percent } from "./LookedAt.tsx";
import { coverageOf, fetchedOf, hasEnded } from "./looks.ts";
import { useResearch } from "./watching.ts";

/** A question for which pages are fetched: what is looked at as it goes on, then the answer. */
export function ResearchPlace({ name }: { name: string }) {
  const { run, problem } = useResearch(name);
  if (hasEnded(run) && run?.chat) return <Ended run={run} chat={run.chat} />;
  return (
    <div className="ask" data-alone>
      <aside className="chats" aria-label={say.chats.title}>
        <ChatList open={undefined} />
      </aside>
      <section className="talk" aria-labelledby="talk-title">
        <Head run={run} />
        <div className="talk-body">
          <div className="stack">
            {problem ? <ProblemNotice problem={problem} /> : null}
            {run ? <UnderWay run={run} /> : null}
            {run || problem ? null : <p className="quiet">{say.loading}</p>}
          </div>
        </div>
      </section>
    </div>
  );
}

function Head({ run }: { run: Research | undefined }) {
  return (
    <div className="talk-head">
      <h1 id="talk-title" dir="auto">
        {run?.question || say.research.title}
      </h1>
    </div>
  );
}

function UnderWay({ run }: { run: Research }) {
  const { api } = useSession();
  const cancel = useMutation<unknown, Problem>({
    mutationFn: () => {
      const params = { path: { researche: idOf(run.name) } };
      return read(api.POST("/v1/researches/{researche}:cancel", { params, body: {} }));
    },
  });
  return (
    <>
      <Begun run={run} />
      <p className="progress-line" role="status">
        <span className="pulse" aria-hidden="true" />
        {say.research.goesOn(fetchedOf(run), percent(coverageOf(run)))}
      </p>
      <div className="actions">
        <Confirm
          label={say.research.cancel}
          question={say.research.cancelQuestion}
          keep={say.job.goOn}
          disabled={cancel.isPending || cancel.isSuccess}
          onConfirm={() => cancel.mutate()}
        />
      </div>
      {cancel.error ? <ProblemNotice problem={cancel.error} /> : null}
      <section className="stack-small" aria-label={say.research.looked}>
        <h2 className="label">{say.research.looked}</h2>
        <LookedAt run={run} />
      </section>
    </>
  );
}

/** The answer as its chat keeps it, with its evidence, and what was looked at for it. */
function Ended({ run, chat }: { run: Research; chat: string }) {
  const conversation = useConversation(chat);
  const { turns, check } = conversation;
  const [opened, setOpened] = useState<Opened>();
  const turn = turns.find((one) => one.id === opened?.turn);
  useAnswerKeys({ turn, last: turns.at(-1), opened, onOpen: setOpened, share: "", check });
  const why = say.research.stopped[run.stopReason ?? ""] ?? run.stopReason ?? "";
  return (
    <div className="ask" data-alone={turn ? undefined : true}>
      <aside className="chats" aria-label={say.chats.title}>
        <ChatList open={chat} />
      </aside>
      <section className="talk" aria-labelledby="talk-title">
        <Head run={run} />
        <div className="talk-body">
          {conversation.problem ? <ProblemNotice problem={conversation.problem} /> : null}
          {conversation.isLoading ? <p className="quiet">{say.loading}</p> : null}
          {!conversation.isLoading && turns.length === 0 ? (
            <Notice>{say.research.noAnswer}</Notice>
          ) : null}
          <Turns
            turns={turns}
            share=""
            opened={opened?.number ? opened : undefined}
            onOpen={setOpened}
            onAgain={conversation.again}
            onWiden={conversation.ask}
            onCheck={check}
          />
          <section className="stack looked-at" aria-label={say.research.looked}>
            <h2 className="label">{say.research.looked}</h2>
            <p role="status">
              {why} <span className="quiet">{say.research.fetched(fetchedOf(run))}</span>
            </p>
            {run.message ? <p lang="en">{run.message}</p> : null}
            <div className="actions">
              <Report run={run} />
              <Link className="button" href={`/${chat}`}>
                {say.research.chat}
              </Link>
            </div>
            <Begun run={run} />
            <LookedAt run={run} />
          </section>
        </div>
      </section>
      {turn && opened ? (
        <Evidence
          turn={turn}
          number={opened.number}
          onOpen={setOpened}
          onCheck={() => check([turn])}
        />
      ) : null}
    </div>
  );
}

function Begun({ run }: { run: Research }) {
  return (
    <p className="small quiet">
      {say.research.began} <Time at={run.createTime ?? ""} />{" "}
      {run.uri ? <span className="address">{shortAddress(run.uri)}</span> : null}{" "}
      <span className="scope-name">@{idOf(run.scope)}</span>
    </p>
  );
}

/** The report as a page of its own; who needs a key to read it is handed it as a file. */
function Report({ run }: { run: Research }) {
  const { api, hasKey } = useSession();
  const id = idOf(run.name);
  const save = useMutation<Blob, Problem>({
    mutationFn: () => {
      const params = { path: { research: id }, query: { format: "html" as const } };
      return read(api.GET("/v1/researches/{research}/report", { params, parseAs: "blob" }));
    },
    onSuccess: (file) => saveFile(file, `${say.research.report} ${id}`, "html"),
  });
  if (!hasKey) {
    const address = `/v1/researches/${id}/report?format=html`;
    return (
      <a className="button" href={address} target="_blank" rel="noreferrer">
        {say.research.report}
      </a>
    );
  }
  return (
    <>
      <button
        type="button"
        className="button"
        aria-busy={save.isPending}
        onClick={() => save.mutate()}
      >
        {say.research.saveReport}
      </button>
      {save.error ? <ProblemNotice problem={save.error} /> : null}
    </>
  );
}
