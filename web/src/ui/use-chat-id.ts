import { generateId } from "ai";
import { useCallback, useEffect, useState } from "react";

type ChatId = { id: string; isNew: boolean };

/** The chat in the address, so that a reload or a link brings it back. */
export function useChatId() {
  const [chat, setChat] = useState<ChatId>(fromAddress);

  useEffect(() => {
    const follow = () => setChat(fromAddress());
    window.addEventListener("popstate", follow);
    return () => window.removeEventListener("popstate", follow);
  }, []);

  const keep = useCallback(() => {
    const address = new URL(location.href);
    if (address.searchParams.get("chat") === chat.id) return;
    address.searchParams.set("chat", chat.id);
    history.replaceState(null, "", address);
  }, [chat.id]);

  const open = useCallback((id?: string) => {
    const address = new URL(location.href);
    address.search = id ? `?chat=${encodeURIComponent(id)}` : "";
    history.pushState(null, "", address);
    setChat(fromAddress());
  }, []);

  return { ...chat, keep, open };
}

function fromAddress(): ChatId {
  const id = new URL(location.href).searchParams.get("chat");
  return id ? { id, isNew: false } : { id: `chat-${generateId()}`, isNew: true };
}
