/** Whether the server can be reached. When it was lost, it is asked for until it is back. */
import { useCallback, useEffect, useState } from "react";
import { isReachable } from "./server";

const SHORTEST_MS = 500;
const LONGEST_MS = 5000;
const TELL_BACK_MS = 4000;

type State = "fine" | "lost" | "back";

export function useConnection(recover: () => Promise<void>) {
  const [state, setState] = useState<State>("fine");
  const lose = useCallback(() => setState("lost"), []);

  useEffect(() => {
    window.addEventListener("offline", lose);
    return () => window.removeEventListener("offline", lose);
  }, [lose]);

  useEffect(() => {
    if (state === "fine") return;
    const leave = new AbortController();
    const next = () => !leave.signal.aborted && setState(state === "lost" ? "back" : "fine");
    if (state === "back") void pause(TELL_BACK_MS, leave.signal).then(next);
    else void reconnect(recover, leave.signal).then(next);
    return () => leave.abort();
  }, [state, recover]);

  return { lose, isLost: state === "lost", isBack: state === "back" };
}

async function reconnect(recover: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let wait = SHORTEST_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_MS)) {
    await pause(wait, signal);
    if (signal.aborted || !(await isReachable())) continue;
    try {
      return await recover();
    } catch {
      // It is gone again, or not ready yet: ask on.
    }
  }
}

/** Also over early when the network comes back or the page is left. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      window.removeEventListener("online", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    window.addEventListener("online", over);
    signal.addEventListener("abort", over);
  });
