import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";

export type Tone = "neutral" | "progress" | "good" | "bad" | "warning" | "attention";

type Props = { tone: Tone; icon: IconName; children: ReactNode };

export function StatusPill({ tone, icon, children }: Props) {
  return (
    <span className="pill" data-tone={tone}>
      <Icon name={icon} size={14} />
      {children}
    </span>
  );
}
