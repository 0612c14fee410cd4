import { useEffect, useState } from "react";
import { loadMessages } from "./server";
import type { ChatMessage } from "./types";

type History = { chatId: string; messages: ChatMessage[] };

/** The stored messages of a chat, or undefined while they are on their way. */
export function useHistory(chatId: string, isNew: boolean): ChatMessage[] | undefined {
  const [history, setHistory] = useState<History>();
  useEffect(() => {
    if (isNew) return;
    let wanted = true;
    const keep = (messages: ChatMessage[]) => wanted && setHistory({ chatId, messages });
    loadMessages(chatId).then(keep, () => keep([]));
    return () => {
      wanted = false;
    };
  }, [chatId, isNew]);
  if (history?.chatId === chatId) return history.messages;
  return isNew ? EMPTY : undefined;
}

const EMPTY: ChatMessage[] = [];
