/** The entries as rows of one height. Only those in view are on the page: there may be thousands. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { detailOf, type Entry, labelOf } from "./recording";

const ROW_PX = 30;
const SPARE_ROWS = 8;
const FOLLOW_PX = 60;

type Props = {
  entries: readonly Entry[];
  selected: number | undefined;
  onSelect: (seq: number) => void;
};

export function Timeline({ entries, selected, onSelect }: Props) {
  const texts = useTexts();
  const list = useRef<HTMLDivElement>(null);
  const view = useView(list, entries.length);
  const first = Math.max(0, Math.floor(view.top / ROW_PX) - SPARE_ROWS);
  const last = Math.min(entries.length, Math.ceil((view.top + view.height) / ROW_PX) + SPARE_ROWS);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    const at = entries.findIndex(({ seq }) => seq === selected);
    const next = Math.min(entries.length - 1, Math.max(0, at + step));
    onSelect(entries[next]?.seq ?? 0);
    keepInView(list.current, next);
  };

  return (
    <div
      ref={list}
      className="timeline"
      role="listbox"
      aria-label={texts.inspector.timeline}
      aria-activedescendant={selected === undefined ? undefined : `entry-${selected}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={view.onScroll}
    >
      <div style={{ height: entries.length * ROW_PX }} role="presentation">
        <div style={{ transform: `translateY(${first * ROW_PX}px)` }} role="presentation">
          {entries.slice(first, last).map((entry, index) => (
            <TimelineRow
              key={entry.seq}
              entry={entry}
              place={first + index + 1}
              total={entries.length}
              selected={entry.seq === selected}
              onSelect={onSelect}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

const STEPS: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

type RowProps = {
  entry: Entry;
  place: number;
  total: number;
  selected: boolean;
  onSelect: (seq: number) => void;
};

function TimelineRow({ entry, place, total, selected, onSelect }: RowProps) {
  const texts = useTexts();
  const isUp = entry.direction === "up";
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box handles the keys of all its rows
    <div
      id={`entry-${entry.seq}`}
      className="entry"
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      aria-posinset={place}
      aria-setsize={total}
      data-direction={entry.direction}
      data-kind={entry.kind}
      onClick={() => onSelect(entry.seq)}
    >
      <time>{clock(entry.time)}</time>
      <span className="direction">
        <span aria-hidden="true">{isUp ? "↑" : "↓"}</span>
        <span className="visually-hidden">{isUp ? texts.inspector.up : texts.inspector.down}</span>
      </span>
      <span className="via">{entry.via === "http" ? "HTTP" : "WS"}</span>
      <span className="entry-label">{labelOf(entry)}</span>
      <span className="entry-detail">{detailOf(entry)}</span>
    </div>
  );
}

/** What part of the list is seen. It stays at the end while entries come, unless one looks back. */
function useView(list: React.RefObject<HTMLDivElement | null>, count: number) {
  const [place, setPlace] = useState({ top: 0, height: 600 });
  const following = useRef(true);

  useEffect(() => {
    const element = list.current;
    if (!element) return;
    if (following.current) element.scrollTop = count * ROW_PX;
    setPlace({ top: element.scrollTop, height: element.clientHeight });
  }, [list, count]);

  const onScroll = () => {
    const element = list.current;
    if (!element) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    // What comes below moves the end away, but only a reader moves the top up.
    if (element.scrollTop < place.top) following.current = false;
    if (below < FOLLOW_PX) following.current = true;
    setPlace({ top: element.scrollTop, height: element.clientHeight });
  };
  return { ...place, onScroll };
}

function keepInView(element: HTMLElement | null, index: number): void {
  if (!element) return;
  const top = index * ROW_PX;
  if (top < element.scrollTop) element.scrollTop = top;
  const bottom = top + ROW_PX - element.clientHeight;
  if (bottom > element.scrollTop) element.scrollTop = bottom;
}

const clock = (time: number): string => {
  const date = new Date(time);
  const pad = (value: number, length = 2) => String(value).padStart(length, "0");
  const seconds = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return `${seconds}.${pad(date.getMilliseconds(), 3)}`;
};
