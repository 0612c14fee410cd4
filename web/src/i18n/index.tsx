import { createContext, useContext } from "react";
import { en, type Texts } from "./en";
import { ja } from "./ja";

export const LANGUAGES = { en, ja } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (name: unknown): name is Language =>
  typeof name === "string" && name in LANGUAGES;

/** What the browser asks for, as far as the page speaks it. */
export const browserLanguage = (): Language =>
  navigator.languages
    .map((name) => name.slice(0, 2))
    .find((name): name is Language => isLanguage(name)) ?? "en";

const TextsContext = createContext<Texts>(en);
export const TextsProvider = TextsContext.Provider;
export const useTexts = (): Texts => useContext(TextsContext);
export type { Texts };
