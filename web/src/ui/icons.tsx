/** Line icons, drawn on a grid of 24. They are decoration: the text beside them says it too. */
import type { ReactNode } from "react";

const PATHS = {
  arrowUp: <path d="M12 19V5M5.500 11.500 12 5l6.500 6.500" />,
  stop: <rect x="6.500" y="6.500" width="11" height="11" rx="2" fill="currentColor" />,
  plus: <path d="M12 5v14M5 12h14" />,
  menu: <path d="M4 7h16M4 12h16M4 17h10" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  check: <path d="m5 12.500 4.500 4.500L19 7.500" />,
  chevron: <path d="m9 6 6 6-6 6" />,
  clock: (
    <>
      <circle cx="12" cy="12" r="8.500" />
      <path d="M12 7.500V12l3 2" />
    </>
  ),
  question: (
    <>
      <circle cx="12" cy="12" r="8.500" />
      <path d="M9.700 9.500a2.400 2.400 0 1 1 3.300 2.300c-.7.300-1 .8-1 1.700M12 16.500v.01" />
    </>
  ),
  alert: (
    <>
      <path d="M12 4 3.500 19h17L12 4Z" />
      <path d="M12 10v4M12 16.500v.01" />
    </>
  ),
  slash: (
    <>
      <circle cx="12" cy="12" r="8.500" />
      <path d="m6 6 12 12" />
    </>
  ),
  shield: (
    <path d="M12 3.500 5 6v5.500c0 4.300 2.900 7.300 7 9 4.100-1.700 7-4.700 7-9V6l-7-2.500Z" />
  ),
  banknote: (
    <>
      <rect x="3" y="6.500" width="18" height="11" rx="2" />
      <circle cx="12" cy="12" r="2.300" />
      <path d="M6.500 12v.01M17.500 12v.01" />
    </>
  ),
  pin: (
    <>
      <path d="M12 21s6.500-5.700 6.500-11a6.500 6.500 0 0 0-13 0c0 5.300 6.500 11 6.500 11Z" />
      <circle cx="12" cy="10" r="2.300" />
    </>
  ),
  cloud: (
    <path d="M7 18.500a4 4 0 0 1-.5-8 5.500 5.500 0 0 1 10.700 1.100A3.500 3.500 0 0 1 17 18.500H7Z" />
  ),
  music: (
    <>
      <path d="M9 17.500V6l10-2v11.500" />
      <circle cx="6.500" cy="17.500" r="2.500" />
      <circle cx="16.500" cy="15.500" r="2.500" />
    </>
  ),
  tool: (
    <path d="M14.500 6.500a4 4 0 0 1 5-1l-2.700 2.700 1 2 2 .6 2-2a4 4 0 0 1-5.600 4.300L9 20.200a2.100 2.100 0 0 1-3-3l7.300-7a4 4 0 0 1 1.200-3.700Z" />
  ),
  pulse: <path d="M3 12h4l2.500-6.500 5 13L17 12h4" />,
  sun: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3v1.500M12 19.500V21M3 12h1.500M19.500 12H21M5.600 5.600l1.100 1.100M17.300 17.300l1.100 1.100M5.600 18.400l1.100-1.100M17.300 6.700l1.100-1.100" />
    </>
  ),
  moon: <path d="M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500Z" />,
  screen: (
    <>
      <rect x="3.500" y="5" width="17" height="11" rx="1.500" />
      <path d="M9 20h6M12 16v4" />
    </>
  ),
  play: <path d="M8 5.500v13l10.500-6.500L8 5.500Z" fill="currentColor" />,
  pause: <path d="M8.500 5.500v13M15.500 5.500v13" strokeWidth="3" />,
  download: <path d="M12 4v11M7 10.500l5 4.500 5-4.500M5 19.500h14" />,
  trash: <path d="M4.500 7h15M9.500 7V4.500h5V7M6.500 7l1 12.500h9l1-12.500" />,
  copy: (
    <>
      <rect x="8.500" y="8.500" width="11" height="11" rx="2" />
      <path d="M15.500 8.500v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2" />
    </>
  ),
  spark: (
    <path d="M12 4c.6 4.700 3.300 7.400 8 8-4.700.6-7.400 3.300-8 8-.6-4.700-3.300-7.400-8-8 4.700-.6 7.400-3.300 8-8Z" />
  ),
  globe: (
    <>
      <circle cx="12" cy="12" r="8.500" />
      <path d="M3.500 12h17M12 3.500c2.500 2.500 3.500 5.300 3.500 8.500s-1 6-3.500 8.500c-2.500-2.500-3.500-5.300-3.500-8.500s1-6 3.500-8.500Z" />
    </>
  ),
  sliders: <path d="M4 8h9M17 8h3M4 16h3M11 16h9M15 5.500v5M9 13.500v5" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

export const isIconName = (name: string): name is IconName => name in PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.800"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {PATHS[name]}
    </svg>
  );
}
