import { findOutcome, type ToolPart } from "@adk-stream-protocol/client";
import { getToolName } from "ai";
import { useTexts } from "../i18n";
import { Icon, type IconName } from "../ui/icons";
import { StatusPill, type Tone } from "../ui/status-pill";
import { ToolDetails } from "./tool-details";
import { type ToolStatus, toolStatus } from "./tool-status";
import type { ChatMessage } from "./types";

type Props = {
  part: ToolPart;
  message: ChatMessage;
  current: boolean;
  inBrowser: boolean;
};

export function ToolCard({ part, message, current, inBrowser }: Props) {
  const texts = useTexts();
  const name = getToolName(part);
  const outcome = findOutcome(message, part);
  const status = toolStatus(part, { inBrowser, current, outcome });
  return (
    <section className="tool" data-status={status}>
      <header className="card-head">
        <span className="card-icon">
          <Icon name={ICONS[name] ?? "tool"} />
        </span>
        <h3>{texts.tools.names[name] ?? name}</h3>
        <code className="tool-name">{name}</code>
        <StatusPill tone={LOOKS[status].tone} icon={LOOKS[status].icon}>
          {texts.tools.states[status]}
        </StatusPill>
      </header>
      <Summary part={part} status={status} />
      <ToolDetails part={part} />
    </section>
  );
}

/** What one wants to know without unfolding anything. */
function Summary({ part, status }: { part: ToolPart; status: ToolStatus }) {
  const texts = useTexts();
  if (part.state === "output-error") {
    const explained = texts.tools.explain[status];
    return <p className="tool-error">{explained ?? part.errorText}</p>;
  }
  if (part.state !== "output-available") return null;
  const output = part.output as Record<string, unknown> | null;
  if (typeof output?.error === "string") return <p className="tool-error">{output.error}</p>;
  if (getToolName(part) === "get_weather" && typeof output?.temperature === "number")
    return (
      <p className="weather">
        <strong>{output.temperature}°</strong>
        <span>
          {String(output.location)} · {String(output.condition)}
        </span>
      </p>
    );
  if (getToolName(part) === "change_bgm" && typeof output?.track === "number") {
    const track = output.track;
    return <p>{texts.music.track(track, texts.music.names[track - 1] ?? "")}</p>;
  }
  return null;
}

const ICONS: Record<string, IconName> = {
  get_weather: "cloud",
  process_payment: "banknote",
  get_location: "pin",
  change_bgm: "music",
};

const LOOKS: Record<ToolStatus, { tone: Tone; icon: IconName }> = {
  preparing: { tone: "progress", icon: "pulse" },
  running: { tone: "progress", icon: "pulse" },
  browser: { tone: "progress", icon: "clock" },
  done: { tone: "good", icon: "check" },
  failed: { tone: "bad", icon: "alert" },
  refused: { tone: "bad", icon: "slash" },
  denied: { tone: "neutral", icon: "slash" },
  expired: { tone: "neutral", icon: "clock" },
  cancelled: { tone: "neutral", icon: "slash" },
  withdrawn: { tone: "neutral", icon: "slash" },
  unknown: { tone: "warning", icon: "question" },
};
