import { Time } from "@scops/ui";
import { useId, useState } from "react";
import { Link } from "wouter";
import { say } from "../messages/index.ts";
import { ProblemNotice } from "../messages/ProblemNotice.tsx";
import { useChats } from "./useChats.ts";

interface ChatListProps {
  open: string | undefined;
  onOpen?: () => void;
}

/** The caller's chats, found by a few words. */
export function ChatList({ open, onOpen }: ChatListProps) {
  const [text, setText] = useState("");
  const chats = useChats(text.trim());
  const id = useId();
  const listed = chats.data?.pages.flatMap((page) => page.chats ?? []) ?? [];
  return (
    <div className="chats-inner">
      <Link className="button" href="/ask" onClick={onOpen}>
        {say.chats.begin}
      </Link>
      <label className="hidden" htmlFor={id}>
        {say.chats.find}
      </label>
      <input
        id={id}
        className="input"
        type="search"
        placeholder={say.chats.find}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {chats.error ? <ProblemNotice problem={chats.error} /> : null}
      {chats.data && listed.length === 0 ? (
        <p className="small quiet">{text.trim() ? say.chats.noneFound : say.chats.none}</p>
      ) : null}
      <ul className="chat-list">
        {listed.map((chat) => (
          <li key={chat.name}>
            <Link
              href={`/${chat.name}`}
              aria-current={chat.name === open ? "page" : undefined}
              onClick={onOpen}
            >
              <span className="chat-title" dir="auto">
                {chat.title || say.chats.untitled}
              </span>
            </Link>
            <span className="label">
              <Time at={chat.askTime ?? ""} /> · {say.chats.turns(chat.turnCount ?? 0)}
            </span>
          </li>
        ))}
      </ul>
      {chats.hasNextPage ? (
        <button
          type="button"
          className="button"
          data-size="small"
          onClick={() => chats.fetchNextPage()}
        >
          {say.more}
        </button>
      ) : null}
    </div>
  );
}
