import { useCallback, useEffect, useState } from "react";
import { loadMessages } from "./server";
import type { ChatMessage } from "./types";

type History = { chatId: string; messages: ChatMessage[] } | { chatId: string; isMissing: true };

const NONE: ChatMessage[] = [];

/** The stored messages of a chat; none while they are on their way, or when they do not come. */
export function useHistory(chatId: string, isNew: boolean) {
  const [history, setHistory] = useState<History>();
  const [attempt, setAttempt] = useState(0);

  useEffect(() => {
    if (isNew) return;
    let wanted = true;
    const keep = (found: History) => wanted && setHistory(found);
    loadMessages(chatId).then(
      (messages) => keep({ chatId, messages }),
      () => keep({ chatId, isMissing: true }),
    );
    return () => {
      wanted = false;
    };
  }, [chatId, isNew, attempt]);

  const retry = useCallback(() => {
    setHistory(undefined);
    setAttempt((count) => count + 1);
  }, []);
  const current = history?.chatId === chatId ? history : undefined;
  return {
    messages: current && "messages" in current ? current.messages : isNew ? NONE : undefined,
    isMissing: current !== undefined && "isMissing" in current,
    retry,
  };
}
