/** Plays the scores with Web Audio. It is generated as it sounds; no file is loaded. */
import { type Note, SCORES, type Score } from "./scores";

const AHEAD_SECONDS = 0.6;
const TICK_MS = 150;
const FADE_SECONDS = 0.8;
const MIDDLE_C = 261.63;

export type JukeboxState = {
  track: number | null;
  playing: boolean;
  /** The browser allows no sound before the person has touched the page. */
  blocked: boolean;
  volume: number;
};
export type JukeboxFault = "unknown-track" | "missing";

export class JukeboxError extends Error {
  constructor(readonly fault: JukeboxFault) {
    super(fault);
  }
}

type Sound = { context: AudioContext; master: GainNode; analyser: AnalyserNode };

export class Jukebox {
  state: JukeboxState = { track: null, playing: false, blocked: false, volume: 0.6 };
  #listeners = new Set<() => void>();
  #sound: Sound | undefined;
  #playing: Playing | undefined;

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Switch to a track. If no sound is allowed yet, that waits for a click or a key. */
  async play(track: number): Promise<void> {
    const score = SCORES[track - 1];
    if (!score) throw new JukeboxError("unknown-track");
    const sound = this.#open();
    for (let touched = gesture(); !(await resumed(sound)); touched = gesture()) {
      this.#set({ blocked: true });
      await touched;
    }
    this.#playing?.fadeOut();
    this.#playing = new Playing(sound, score);
    this.#set({ track, playing: true, blocked: false });
  }

  pause(): void {
    this.#playing?.fadeOut();
    this.#playing = undefined;
    this.#set({ playing: false });
  }

  setVolume(volume: number): void {
    const sound = this.#sound;
    sound?.master.gain.setTargetAtTime(volume, sound.context.currentTime, 0.05);
    this.#set({ volume });
  }

  /** How loud it is at this moment, from 0 to 1, measured behind the volume control. */
  level(): number {
    if (!this.#sound) return 0;
    const samples = new Float32Array(this.#sound.analyser.fftSize);
    this.#sound.analyser.getFloatTimeDomainData(samples);
    return Math.min(
      1,
      samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
    );
  }

  #open(): Sound {
    if (this.#sound) return this.#sound;
    if (typeof AudioContext === "undefined") throw new JukeboxError("missing");
    const context = new AudioContext();
    const master = new GainNode(context, { gain: this.state.volume });
    const analyser = new AnalyserNode(context, { fftSize: 2048 });
    master.connect(analyser).connect(context.destination);
    this.#sound = { context, master, analyser };
    return this.#sound;
  }

  #set(change: Partial<JukeboxState>): void {
    this.state = { ...this.state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Some browsers leave `resume` pending while they allow no sound, so it is not waited for alone. */
const resumed = async ({ context }: Sound): Promise<boolean> => {
  await Promise.race([context.resume(), new Promise((over) => setTimeout(over, 700))]);
  return context.state === "running";
};

const gesture = () =>
  new Promise<void>((resolve) => {
    const done = new AbortController();
    for (const type of ["pointerup", "keyup"])
      addEventListener(
        type,
        () => {
          done.abort();
          resolve();
        },
        { signal: done.signal },
      );
  });

/** One track that is sounding, until it is faded out. */
class Playing {
  readonly #sound: Sound;
  readonly #score: Score;
  readonly #gain: GainNode;
  readonly #timer: ReturnType<typeof setInterval>;
  #step = 0;
  #nextAt: number;

  constructor(sound: Sound, score: Score) {
    this.#sound = sound;
    this.#score = score;
    const now = sound.context.currentTime;
    this.#gain = new GainNode(sound.context, { gain: 0 });
    this.#gain.gain.linearRampToValueAtTime(1, now + FADE_SECONDS);
    this.#gain.connect(sound.master);
    this.#nextAt = now + 0.05;
    this.#timer = setInterval(this.#schedule, TICK_MS);
    this.#schedule();
  }

  fadeOut(): void {
    clearInterval(this.#timer);
    const { gain } = this.#gain;
    const now = this.#sound.context.currentTime;
    gain.cancelScheduledValues(now);
    gain.setTargetAtTime(0, now, FADE_SECONDS / 3);
    setTimeout(() => this.#gain.disconnect(), FADE_SECONDS * 2000);
  }

  #schedule = () => {
    const { currentTime } = this.#sound.context;
    // A page in the background is woken rarely: what was missed is left out.
    this.#nextAt = Math.max(this.#nextAt, currentTime);
    while (this.#nextAt < currentTime + AHEAD_SECONDS) {
      for (const note of this.#score.notesAt(this.#step)) this.#sing(note, this.#nextAt);
      this.#nextAt += this.#score.stepSeconds;
      this.#step += 1;
    }
  };

  #sing(note: Note, from: number): void {
    const { context } = this.#sound;
    const until = from + note.length * this.#score.stepSeconds;
    const tone = new OscillatorNode(context, {
      type: note.voice === "pluck" ? "triangle" : "sine",
      frequency: MIDDLE_C * 2 ** (note.pitch / 12),
    });
    const envelope = new GainNode(context, { gain: 0 });
    const attack = note.voice === "pad" ? (until - from) / 3 : 0.012;
    envelope.gain.setValueAtTime(0, from);
    envelope.gain.linearRampToValueAtTime(note.loudness, from + attack);
    envelope.gain.exponentialRampToValueAtTime(0.0001, until);
    tone.connect(envelope).connect(this.#gain);
    tone.start(from);
    tone.stop(until);
  }
}
