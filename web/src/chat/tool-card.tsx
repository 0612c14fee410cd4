import type { ToolPart } from "@adk-stream-protocol/client";
import { getToolName } from "ai";
import { useTexts } from "../i18n";
import { Icon, type IconName } from "../ui/icons";
import { StatusPill, type Tone } from "../ui/status-pill";
import { ToolDetails } from "./tool-details";
import { type ToolStatus, toolStatus } from "./tool-status";

type Props = {
  part: ToolPart;
  current: boolean;
  inBrowser: boolean;
};

export function ToolCard({ part, current, inBrowser }: Props) {
  const texts = useTexts();
  const name = getToolName(part);
  const status = toolStatus(part, { inBrowser, current });
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
      <Summary part={part} />
      <ToolDetails part={part} />
    </section>
  );
}

/** What one wants to know without unfolding anything. */
function Summary({ part }: { part: ToolPart }) {
  const texts = useTexts();
  if (part.state === "output-error") return <p className="tool-error">{part.errorText}</p>;
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
  expired: { tone: "neutral", icon: "clock" },
  cancelled: { tone: "neutral", icon: "slash" },
  unknown: { tone: "warning", icon: "question" },
};
