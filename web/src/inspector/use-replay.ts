/** Plays a recording through `useChat`, turn by turn, as the page once saw it. */
import { useChat } from "@ai-sdk/react";
import { useEffect, useMemo, useState } from "react";
import type { ChatMessage } from "../chat/types";
import { pause, ReplayTransport } from "./replay-transport";
import type { RecordedTurn } from "./turns";

export function useReplay(turns: readonly RecordedTurn[], speed: number) {
  const transport = useMemo(() => new ReplayTransport(), []);
  const [isOver, setOver] = useState(false);
  const chat = useChat<ChatMessage>({ id: "replay", transport, throttle: 40 });
  const { setMessages, sendMessage } = chat;

  useEffect(() => {
    const leave = new AbortController();
    const play = async () => {
      let before = turns[0]?.time ?? 0;
      for (const turn of turns) {
        await pause(turn.time - before, speed);
        if (leave.signal.aborted) return;
        transport.load(turn, speed, leave.signal);
        setMessages(turn.messages);
        // Without a message it goes on from the messages as they are.
        await sendMessage();
        before = turn.chunks.at(-1)?.time ?? turn.time;
      }
      if (!leave.signal.aborted) setOver(true);
    };
    setOver(false);
    void play();
    return () => leave.abort();
  }, [turns, speed, transport, setMessages, sendMessage]);

  return { messages: chat.messages, status: chat.status, isOver };
}
