/** The tools that this page runs for the agent. */
import { type ClientTools, clientTools } from "@adk-stream-protocol/client";
import type { Texts } from "../i18n";
import { GeolocationError, locate } from "./geolocation";
import { type Jukebox, JukeboxError } from "./jukebox";

/** `texts` is asked when something fails: the language may have changed since. */
export function browserTools(jukebox: Jukebox, texts: () => Texts): ClientTools {
  const inWords =
    <I, O>(run: (input: I) => Promise<O>) =>
    (input: I) =>
      run(input).catch((error: unknown) => {
        throw new Error(faultInWords(error, texts()));
      });
  return clientTools({
    get_location: { run: inWords(locate), approval: true },
    change_bgm: inWords(async ({ track }: { track: number }) => {
      await jukebox.play(track);
      return { success: true, track };
    }),
  });
}

function faultInWords(error: unknown, texts: Texts): string {
  if (error instanceof GeolocationError) return texts.geolocation[error.fault];
  if (error instanceof JukeboxError)
    return error.fault === "missing" ? texts.music.missing : texts.music.unknownTrack;
  return texts.errors.generic;
}
