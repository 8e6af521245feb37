import type { Chat, Problem } from "@scops/api";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useSession } from "../session/session.tsx";
import type { AskedTurn } from "./conversation.ts";
import { download, downloadWarc, type ExportFormat, exported, FORMATS, warcOf } from "./exports.ts";
import { useChatChange } from "./useChats.ts";

const WARC = "warc";

interface ChatMenuProps {
  chat: Chat;
  turns: AskedTurn[];
  isOwn: boolean;
}

/** What can be done with a chat. */
export function ChatMenu({ chat, turns, isOwn }: ChatMenuProps) {
  const [renaming, sharing, deleting] = [useDialog(), useDialog(), useDialog()];
  const title = chat.title || say.chats.untitled;
  const { api } = useSession();
  const archive = useMutation<Blob, Problem>({
    mutationFn: () => warcOf(api, turns),
    onSuccess: (file) => downloadWarc(file, title),
  });
  const isCiting = turns.some((turn) => turn.answer?.citations?.length);
  return (
    <div className="actions">
      {isOwn ? (
        <>
          <Small onPress={() => renaming.current?.showModal()}>{say.chats.rename}</Small>
          <Small onPress={() => sharing.current?.showModal()}>{say.chats.share}</Small>
        </>
      ) : null}
      <select
        className="button"
        data-size="small"
        aria-label={say.chats.export}
        value=""
        aria-busy={archive.isPending}
        onChange={(event) => {
          if (event.target.value === WARC) return archive.mutate();
          const format = event.target.value as ExportFormat;
          download(exported(title, turns, format), title);
        }}
      >
        <option value="" disabled hidden>
          {say.chats.export}
        </option>
        {FORMATS.map((format) => (
          <option key={format} value={format}>
            {say.chats.formats[format]}
          </option>
        ))}
        {isCiting ? <option value={WARC}>{say.chats.warc}</option> : null}
      </select>
      {archive.error ? <ProblemNotice problem={archive.error} /> : null}
      {isOwn ? (
        <Small onPress={() => deleting.current?.showModal()}>{say.chats.delete}</Small>
      ) : null}
      {isOwn ? (
        <>
          <Rename chat={chat} dialog={renaming} />
          <Share chat={chat} dialog={sharing} />
          <Delete chat={chat} dialog={deleting} />
        </>
      ) : null}
    </div>
  );
}

type DialogRef = RefObject<HTMLDialogElement | null>;

function useDialog(): DialogRef {
  return useRef<HTMLDialogElement>(null);
}

function Small({ onPress, children }: { onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className="button" data-size="small" onClick={onPress}>
      {children}
    </button>
  );
}

interface DialogProps {
  chat: Chat;
  dialog: DialogRef;
}

function Rename({ chat, dialog }: DialogProps) {
  const change = useChatChange(chat.name ?? "");
  const [title, setTitle] = useState(chat.title ?? "");
  const id = useId();
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (!title.trim()) return;
          await change.mutateAsync({ title: title.trim() });
          dialog.current?.close();
        }}
      >
        <h2 id={`${id}-title`}>{say.chats.rename}</h2>
        <div className="field">
          <label htmlFor={id}>{say.chats.titleLabel}</label>
          <input
            id={id}
            className="input"
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </div>
        {change.error ? <ProblemNotice problem={change.error} /> : null}
        <Buttons dialog={dialog} label={say.chats.rename} isBusy={change.isPending} />
      </form>
    </dialog>
  );
}

function Share({ chat, dialog }: DialogProps) {
  const change = useChatChange(chat.name ?? "");
  const id = useId();
  const link = change.data ? `${location.origin}/${chat.name}#${change.data}` : "";
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`}>
      <div className="stack">
        <h2 id={`${id}-title`}>{say.chats.share}</h2>
        <p>{say.chats.shareWhat}</p>
        <p className="small quiet">{chat.shared ? say.chats.isShared : say.chats.isNotShared}</p>
        {link ? (
          <div className="field">
            <label htmlFor={id}>{say.chats.link}</label>
            <input
              id={id}
              className="input"
              data-voice="address"
              readOnly
              value={link}
              onFocus={(event) => event.target.select()}
            />
            <span className="field-hint">{say.chats.linkHint}</span>
          </div>
        ) : null}
        {change.error ? <ProblemNotice problem={change.error} /> : null}
        <div className="actions">
          <button
            type="button"
            className="button"
            data-kind="main"
            disabled={change.isPending}
            onClick={() => change.mutate("share")}
          >
            {chat.shared ? say.chats.newLink : say.chats.makeLink}
          </button>
          {chat.shared ? (
            <Small onPress={() => change.mutate("stop")}>{say.chats.endLink}</Small>
          ) : null}
          <Small onPress={() => dialog.current?.close()}>{say.close}</Small>
        </div>
      </div>
    </dialog>
  );
}

function Delete({ chat, dialog }: DialogProps) {
  const change = useChatChange(chat.name ?? "");
  const [, go] = useLocation();
  const id = useId();
  return (
    <dialog ref={dialog} aria-labelledby={`${id}-title`}>
      <form
        className="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          await change.mutateAsync("delete");
          go("/ask");
        }}
      >
        <h2 id={`${id}-title`}>{say.chats.delete}</h2>
        <p>{say.chats.deleteWhat(chat.turnCount ?? 0)}</p>
        {change.error ? <ProblemNotice problem={change.error} /> : null}
        <Buttons dialog={dialog} label={say.chats.delete} isBusy={change.isPending} />
      </form>
    </dialog>
  );
}

interface ButtonsProps {
  dialog: DialogRef;
  label: string;
  isBusy: boolean;
}

function Buttons({ dialog, label, isBusy }: ButtonsProps) {
  return (
    <div className="actions">
      <button type="submit" className="button" data-kind="main" disabled={isBusy}>
        {label}
      </button>
      <Small onPress={() => dialog.current?.close()}>{say.close}</Small>
    </div>
  );
}
