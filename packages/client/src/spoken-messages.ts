/** What the user said aloud arrives inside the server's turn; a page shows it as the user's. */
import type { UIMessage } from "ai";

const SPOKEN = "data-user-message";

/** For display: each `data-user-message` part as a user message before the message that held it. */
export function withSpokenMessages<UI_MESSAGE extends UIMessage>(
  messages: readonly UI_MESSAGE[],
): UI_MESSAGE[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ type }) => type !== SPOKEN);
    if (parts.length === message.parts.length) return [message];
    return [...message.parts.flatMap(spoken<UI_MESSAGE>), { ...message, parts }];
  });
}

function spoken<UI_MESSAGE extends UIMessage>(part: UI_MESSAGE["parts"][number]): UI_MESSAGE[] {
  if (part.type !== SPOKEN || !("data" in part)) return [];
  const { id, text } = (part.data ?? {}) as { id?: unknown; text?: unknown };
  if (typeof id !== "string" || typeof text !== "string") return [];
  const message: UIMessage = { id, role: "user", parts: [{ type: "text", text }] };
  return [message as UI_MESSAGE];
}
