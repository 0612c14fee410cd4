import { useTexts } from "../i18n";
import { Icon, type IconName } from "../ui/icons";

const ICONS: Record<string, IconName> = {
  get_weather: "cloud",
  process_payment: "banknote",
  get_location: "pin",
  change_bgm: "music",
};

/** An empty conversation, with a first message for each tool. */
export function Welcome({ onPick }: { onPick: (text: string) => void }) {
  const texts = useTexts();
  return (
    <section className="welcome" aria-labelledby="welcome-title">
      <h2 id="welcome-title">{texts.welcome.title}</h2>
      <p>{texts.welcome.text}</p>
      <ul className="suggestions" aria-label={texts.welcome.suggestions}>
        {texts.suggestions.map(({ tool, title, text }) => (
          <li key={text}>
            <button type="button" onClick={() => onPick(text)}>
              <Icon name={ICONS[tool] ?? "tool"} size={20} />
              <span className="suggestion-text">{text}</span>
              <span className="suggestion-title">{title}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
