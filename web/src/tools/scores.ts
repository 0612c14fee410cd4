/** The music: what sounds at each step of a track, as plain numbers. */
export type Note = {
  /** Semitones above middle C. */
  pitch: number;
  /** In steps. */
  length: number;
  loudness: number;
  voice: "pad" | "pluck" | "bass";
};

export type Score = {
  stepSeconds: number;
  notesAt: (step: number) => Note[];
};

const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

const CHORDS = [
  [-12, 0, 4, 7, 11],
  [-15, -3, 0, 4, 9],
  [-19, -7, 0, 5, 9],
  [-17, -5, 2, 5, 11],
];

const stillWater: Score = {
  stepSeconds: 0.5,
  notesAt: (step) => {
    if (step % 8 !== 0) return step % 4 === 2 ? [shimmer(step)] : [];
    return at(CHORDS, step / 8).map((pitch) => ({
      pitch,
      length: 8.5,
      loudness: 0.16,
      voice: "pad",
    }));
  },
};

const shimmer = (step: number): Note => ({
  pitch: at(at(CHORDS, Math.floor(step / 8)), step / 2 + 2) + 12,
  length: 3,
  loudness: 0.1,
  voice: "pluck",
});

const RAILS = [
  [-15, 0, 3, 7, 12],
  [-20, -4, 3, 8, 12],
  [-17, -1, 3, 6, 11],
  [-13, -1, 2, 7, 11],
];
const CLATTER = [1, 2, 3, 4, 3, 2, 4, 3];

const nightTrain: Score = {
  stepSeconds: 0.15,
  notesAt: (step) => {
    const chord = at(RAILS, Math.floor(step / 16));
    const pluck: Note = {
      pitch: at(chord, at(CLATTER, step)),
      length: 1.4,
      loudness: step % 4 === 0 ? 0.2 : 0.13,
      voice: "pluck",
    };
    const bass: Note = { pitch: at(chord, 0), length: 3, loudness: 0.3, voice: "bass" };
    return step % 4 === 0 ? [pluck, bass] : [pluck];
  },
};

const MELODY = [
  7,
  null,
  8,
  7,
  3,
  null,
  null,
  2,
  0,
  null,
  2,
  3,
  7,
  null,
  null,
  null,
  12,
  null,
  8,
  7,
  8,
  null,
  3,
  null,
  2,
  0,
  null,
  -5,
  0,
  null,
  null,
  null,
];

const paperLanterns: Score = {
  stepSeconds: 0.3,
  notesAt: (step) => {
    const pitch = at(MELODY, step);
    const notes: Note[] =
      pitch === null ? [] : [{ pitch, length: 3, loudness: 0.24, voice: "pluck" }];
    if (step % 16 === 0) notes.push({ pitch: -12, length: 16, loudness: 0.16, voice: "pad" });
    if (step % 16 === 8) notes.push({ pitch: -5, length: 9, loudness: 0.12, voice: "pad" });
    return notes;
  },
};

/** Track 1 is the first. */
export const SCORES: readonly Score[] = [stillWater, nightTrain, paperLanterns];
