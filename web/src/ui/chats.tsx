/** The user's chats, in a drawer. */
import { type MouseEvent, useEffect, useRef, useState } from "react";
import { type ChatSummary, deleteChat, loadChats } from "../chat/server";
import { useTexts } from "../i18n";
import { Icon } from "./icons";

type Props = { current: string; onOpen: (chatId?: string) => void };

export function Chats({ current, onOpen }: Props) {
  const texts = useTexts();
  const drawer = useRef<HTMLDivElement>(null);
  const { chats, fault, refresh, remove } = useChats();

  useEffect(() => {
    const element = drawer.current;
    const onToggle = (event: ToggleEvent) => event.newState === "open" && refresh();
    element?.addEventListener("toggle", onToggle);
    return () => element?.removeEventListener("toggle", onToggle);
  }, [refresh]);

  const open = (chatId?: string) => {
    drawer.current?.hidePopover();
    onOpen(chatId);
  };
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.header.chats}
        title={texts.header.chats}
        popoverTarget="chats"
      >
        <Icon name="menu" size={20} />
      </button>
      <div
        id="chats"
        ref={drawer}
        popover="auto"
        role="dialog"
        className="popover drawer"
        aria-label={texts.chats.title}
      >
        <h2>{texts.chats.title}</h2>
        <button type="button" className="button" onClick={() => open()}>
          <Icon name="plus" />
          {texts.header.newChat}
        </button>
        {fault && <p role="alert">{fault}</p>}
        {chats?.length === 0 && <p className="muted">{texts.chats.none}</p>}
        <ul className="chat-list">
          {chats?.map((chat) => (
            <ChatRow
              key={chat.id}
              chat={chat}
              isCurrent={chat.id === current}
              onOpen={() => open(chat.id)}
              onRemove={async () => {
                await remove(chat.id);
                if (chat.id === current) onOpen();
              }}
            />
          ))}
        </ul>
      </div>
    </>
  );
}

type RowProps = {
  chat: ChatSummary;
  isCurrent: boolean;
  onOpen: () => void;
  onRemove: () => Promise<void>;
};

function ChatRow({ chat, isCurrent, onOpen, onRemove }: RowProps) {
  const texts = useTexts();
  const title = chat.title || texts.chats.untitled;
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <li>
      <a
        href={`/?chat=${encodeURIComponent(chat.id)}`}
        aria-current={isCurrent ? "page" : undefined}
        onClick={onClick}
      >
        {title}
      </a>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.chats.remove(title)}
        onClick={() => void onRemove()}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}

function useChats() {
  const texts = useTexts();
  const [chats, setChats] = useState<ChatSummary[]>();
  const [fault, setFault] = useState("");
  const tell = (error: unknown) =>
    setFault(
      error instanceof Error && !(error instanceof TypeError)
        ? error.message
        : texts.errors.unreachable,
    );
  const [refresh] = useState(() => () => {
    setFault("");
    loadChats().then(setChats, tell);
  });
  const remove = async (chatId: string) => {
    await deleteChat(chatId).catch(tell);
    refresh();
  };
  return { chats, fault, refresh, remove };
}
