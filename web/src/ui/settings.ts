import { useEffect } from "react";
import { TRANSPORTS, type TransportName } from "../chat/transports";
import { browserLanguage, LANGUAGES, type Language } from "../i18n";
import { usePersistent } from "./persistent";

export type Theme = "system" | "light" | "dark";

/** What the user chose; it is kept for the next visit. */
export function useSettings() {
  const [theme, setTheme] = usePersistent<Theme>("theme", "system", ["system", "light", "dark"]);
  const [language, setLanguage] = usePersistent<Language>(
    "language",
    browserLanguage(),
    Object.keys(LANGUAGES) as Language[],
  );
  const [transport, setTransport] = usePersistent<TransportName>("transport", "sse", TRANSPORTS);
  const [inspector, setInspector] = usePersistent<"open" | "closed">("inspector", "closed", [
    "open",
    "closed",
  ]);

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);

  return {
    theme,
    setTheme,
    language,
    setLanguage,
    transport,
    setTransport,
    inspector,
    setInspector,
  };
}

export type Settings = ReturnType<typeof useSettings>;
