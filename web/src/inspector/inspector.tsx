import { useDeferredValue, useMemo, useState } from "react";
import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";
import { Segmented } from "../ui/segmented";
import { download, fromJsonl, NotARecording, toJsonl } from "./jsonl";
import type { Direction, Entry } from "./recording";
import { Timeline } from "./timeline";
import { turnsOf } from "./turns";

type Props = {
  entries: readonly Entry[];
  /** The entries with those of the last moment, which are not shown yet. */
  whole: () => readonly Entry[];
  onClear: (() => void) | undefined;
  onReplay: (name: string, entries: Entry[]) => void;
  onClose: () => void;
};

/** Everything that goes over the wire, as it goes. */
export function Inspector({ entries, whole, onClear, onReplay, onClose }: Props) {
  const texts = useTexts();
  const [filter, setFilter] = useState("");
  const [direction, setDirection] = useState<Direction | "all">("all");
  const [selected, setSelected] = useState<number>();
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const shown = useMemo(
    () => entries.filter((entry) => matches(entry, wanted, direction)),
    [entries, wanted, direction],
  );
  const chosen = entries.find(({ seq }) => seq === selected);
  return (
    <aside className="inspector" aria-labelledby="inspector-title">
      <header className="inspector-head">
        <h2 id="inspector-title">{texts.inspector.title}</h2>
        <span className="muted" role="status">
          {texts.inspector.entries(shown.length, entries.length)}
        </span>
        <button
          type="button"
          className="icon-button"
          aria-label={texts.inspector.close}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      <div className="inspector-tools">
        <input
          type="search"
          className="field"
          aria-label={texts.inspector.filter}
          placeholder={texts.inspector.filterPlaceholder}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <Segmented
          label={texts.inspector.filter}
          value={direction}
          options={[
            { value: "all", label: texts.inspector.all },
            { value: "up", label: texts.inspector.up },
            { value: "down", label: texts.inspector.down },
          ]}
          onChange={setDirection}
        />
      </div>
      {shown.length === 0 && <p className="inspector-empty muted">{texts.inspector.empty}</p>}
      <Timeline entries={shown} selected={selected} onSelect={setSelected} />
      <Json entry={chosen} />
      <Files entries={entries} whole={whole} onClear={onClear} onReplay={onReplay} />
    </aside>
  );
}

function matches(entry: Entry, wanted: string, direction: Direction | "all"): boolean {
  if (direction !== "all" && entry.direction !== direction) return false;
  return (
    wanted === "" ||
    JSON.stringify([entry.via, entry.kind, entry.data]).toLowerCase().includes(wanted)
  );
}

function Json({ entry }: { entry: Entry | undefined }) {
  const texts = useTexts();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="json" aria-label={texts.inspector.json} tabIndex={0}>
      {entry ? (
        <pre>{JSON.stringify(entry.data, null, 2)}</pre>
      ) : (
        <p className="muted">{texts.inspector.select}</p>
      )}
    </section>
  );
}

type FilesProps = Pick<Props, "entries" | "whole" | "onClear" | "onReplay">;

function Files({ entries, whole, onClear, onReplay }: FilesProps) {
  const texts = useTexts();
  const [fault, setFault] = useState("");
  const open = async (file: File) => {
    try {
      const read = fromJsonl(await file.text());
      setFault(turnsOf(read).length === 0 ? texts.inspector.noTurns : "");
      if (turnsOf(read).length > 0) onReplay(file.name, read);
    } catch (error) {
      if (!(error instanceof NotARecording)) throw error;
      setFault(texts.inspector.badFile(error.line));
    }
  };
  return (
    <footer className="inspector-files">
      {fault && (
        <p role="alert" className="tool-error">
          {fault}
        </p>
      )}
      <button
        type="button"
        className="button small"
        disabled={entries.length === 0}
        onClick={() => download("adk-stream.jsonl", toJsonl(whole()))}
      >
        <Icon name="download" size={16} />
        {texts.inspector.download}
      </button>
      <label className="button small file">
        <Icon name="play" size={14} />
        {texts.inspector.replay}
        <input
          type="file"
          accept=".jsonl,.ndjson,application/x-ndjson"
          className="visually-hidden"
          onChange={({ target }) => {
            const file = target.files?.[0];
            target.value = "";
            if (file) void open(file);
          }}
        />
      </label>
      <button
        type="button"
        className="button small"
        disabled={!onClear || entries.length === 0}
        onClick={onClear}
      >
        <Icon name="trash" size={16} />
        {texts.inspector.clear}
      </button>
    </footer>
  );
}
