/** The plain requests beside the chat itself. */
import type { ChatMessage } from "./types";

export type ChatSummary = { id: string; title: string; updated: string };

const path = (chatId: string, rest = "") => `/api/chat/${encodeURIComponent(chatId)}${rest}`;

/** What the server knows of a chat; nothing, if it does not know it. */
export async function loadMessages(chatId: string): Promise<ChatMessage[]> {
  const response = await fetch(path(chatId, "/messages"), { cache: "no-store" });
  return response.status === 404 ? [] : bodyOf(response);
}

/** The user's chats, newest first. */
export const loadChats = async (): Promise<ChatSummary[]> =>
  bodyOf(await fetch("/api/chats", { cache: "no-store" }));

export async function deleteChat(chatId: string): Promise<void> {
  const response = await fetch(path(chatId), { method: "DELETE" });
  if (!response.ok && response.status !== 404) throw new Error(await response.text());
}

/** Closing the connection does not end a turn: the server takes it for a reload. */
export async function stopTurn(chatId: string): Promise<void> {
  await fetch(path(chatId, "/stop"), { method: "POST" });
}

export async function isReachable(): Promise<boolean> {
  try {
    const response = await fetch("/healthz", { cache: "no-store" });
    return response.ok;
  } catch {
    return false;
  }
}

async function bodyOf<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(await response.text());
  return response.json() as Promise<T>;
}
