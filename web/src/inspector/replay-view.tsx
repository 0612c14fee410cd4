import { clientTools } from "@adk-stream-protocol/client";
import { useMemo, useState } from "react";
import { MessageList } from "../chat/message-list";
import { useTexts } from "../i18n";
import { Segmented } from "../ui/segmented";
import type { Entry } from "./recording";
import { turnsOf } from "./turns";
import { useReplay } from "./use-replay";

const SPEEDS = ["1", "4", "0"] as const;
type Speed = (typeof SPEEDS)[number];

// A recording says what happened; nothing is run or answered again.
const NO_TOOLS = clientTools({});
const NO_ANSWERS = { addToolOutput: () => {}, addToolApprovalResponse: () => {} };

type Props = { name: string; entries: readonly Entry[]; onLeave: () => void };

/** A recorded conversation in place of the live one. */
export function ReplayView({ name, entries, onLeave }: Props) {
  const texts = useTexts();
  const [speed, setSpeed] = useState<Speed>("4");
  const [run, setRun] = useState(0);
  return (
    <main className="chat replay">
      <div className="replay-bar">
        <p>{texts.replay.text(name)}</p>
        <Segmented<Speed>
          label={texts.replay.speed}
          value={speed}
          options={SPEEDS.map((value) => ({
            value,
            label: value === "0" ? texts.replay.instant : `${value}×`,
          }))}
          onChange={setSpeed}
        />
        <button type="button" className="button small" onClick={() => setRun(run + 1)}>
          {texts.replay.again}
        </button>
        <button type="button" className="button small primary" onClick={onLeave}>
          {texts.replay.leave}
        </button>
      </div>
      <Player key={`${run} ${speed}`} entries={entries} speed={Number(speed)} />
    </main>
  );
}

function Player({ entries, speed }: { entries: readonly Entry[]; speed: number }) {
  const texts = useTexts();
  const turns = useMemo(() => turnsOf(entries), [entries]);
  const { messages, status, isOver } = useReplay(turns, speed);
  return (
    <>
      <MessageList messages={messages} status={status} tools={NO_TOOLS} answers={NO_ANSWERS} />
      <p className="replay-end" role="status">
        {isOver && texts.replay.done}
      </p>
    </>
  );
}
