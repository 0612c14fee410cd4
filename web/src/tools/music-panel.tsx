import { useEffect, useState, useSyncExternalStore } from "react";
import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";
import type { Jukebox } from "./jukebox";

export function useJukebox(jukebox: Jukebox) {
  return useSyncExternalStore(jukebox.subscribe, () => jukebox.state);
}

/** What is playing, the tracks, and how loud. */
export function MusicPanel({ jukebox }: { jukebox: Jukebox }) {
  const texts = useTexts();
  const { track, playing, blocked, volume } = useJukebox(jukebox);
  const [fault, setFault] = useState("");
  const play = (number: number) =>
    void jukebox.play(number).catch(() => setFault(texts.music.missing));
  const name = track && texts.music.names[track - 1];
  return (
    <div className="music">
      <h2>{texts.music.title}</h2>
      <p className="music-now" role="status">
        {fault ||
          (blocked && texts.music.blocked) ||
          (playing && name ? texts.music.playing(name) : texts.music.off)}
      </p>
      <Level jukebox={jukebox} active={playing} />
      <ul className="tracks">
        {texts.music.names.map((title, index) => {
          const sounding = playing && track === index + 1;
          return (
            <li key={title}>
              <button
                type="button"
                aria-pressed={sounding}
                aria-label={texts.music.track(index + 1, title)}
                onClick={() => (sounding ? jukebox.pause() : play(index + 1))}
              >
                <Icon name={sounding ? "pause" : "play"} size={16} />
                <span>{title}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <label className="volume">
        {texts.music.volume}
        <input
          type="range"
          min={0}
          max={1}
          step={0.05}
          value={volume}
          onChange={(event) => jukebox.setVolume(Number(event.target.value))}
        />
      </label>
    </div>
  );
}

/** How loud it is right now, measured at the end of the chain. */
function Level({ jukebox, active }: { jukebox: Jukebox; active: boolean }) {
  const texts = useTexts();
  const [level, setLevel] = useState(0);
  useEffect(() => {
    if (!active) return setLevel(0);
    const timer = setInterval(() => setLevel(Math.round(jukebox.level() * 100)), 120);
    return () => clearInterval(timer);
  }, [jukebox, active]);
  return <meter className="level" aria-label={texts.music.level} min={0} max={100} value={level} />;
}
