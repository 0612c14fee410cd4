import type { ReactNode } from "react";
import { TRANSPORTS, type TransportName } from "../chat/transports";
import { LANGUAGES, type Language, useTexts } from "../i18n";
import icon from "../icon.svg";
import type { Jukebox } from "../tools/jukebox";
import { MusicPanel, useJukebox } from "../tools/music-panel";
import { Icon, type IconName } from "./icons";
import { Segmented } from "./segmented";
import type { Settings } from "./settings";

type Props = {
  settings: Settings;
  jukebox: Jukebox;
  children?: ReactNode;
  onNewChat: () => void;
};

export function Header({ settings, jukebox, children, onNewChat }: Props) {
  const texts = useTexts();
  const { playing } = useJukebox(jukebox);
  return (
    <header className="header">
      {children}
      <h1 className="brand">
        <img src={icon} alt="" width={26} height={26} />
        <span>{texts.page.title}</span>
      </h1>
      <div className="header-tools">
        <Segmented<TransportName>
          label={texts.header.transport}
          value={settings.transport}
          options={TRANSPORTS.map((value) => ({
            value,
            label: value.toUpperCase(),
            title: texts.header[value],
          }))}
          onChange={settings.setTransport}
        />
        <IconButton icon="plus" label={texts.header.newChat} onClick={onNewChat} />
        <PopoverButton icon="music" label={texts.header.music} target="music" active={playing}>
          <MusicPanel jukebox={jukebox} />
        </PopoverButton>
        <IconButton
          icon="pulse"
          label={texts.header.inspector}
          pressed={settings.inspector === "open"}
          onClick={() => settings.setInspector(settings.inspector === "open" ? "closed" : "open")}
        />
        <PopoverButton icon="sliders" label={texts.page.settings} target="settings">
          <SettingsPanel settings={settings} />
        </PopoverButton>
      </div>
    </header>
  );
}

function SettingsPanel({ settings }: { settings: Settings }) {
  const texts = useTexts();
  return (
    <div className="settings">
      <h2>{texts.page.settings}</h2>
      <p aria-hidden="true">{texts.header.theme}</p>
      <Segmented
        label={texts.header.theme}
        value={settings.theme}
        options={[
          { value: "system", label: texts.header.system },
          { value: "light", label: texts.header.light },
          { value: "dark", label: texts.header.dark },
        ]}
        onChange={settings.setTheme}
      />
      <p aria-hidden="true">{texts.header.language}</p>
      <Segmented<Language>
        label={texts.header.language}
        value={settings.language}
        options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({
          value,
          label: <span lang={value}>{LANGUAGES[value].language}</span>,
        }))}
        onChange={settings.setLanguage}
      />
    </div>
  );
}

type IconButtonProps = {
  icon: IconName;
  label: string;
  pressed?: boolean;
  onClick: () => void;
};

export function IconButton({ icon, label, pressed, onClick }: IconButtonProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      aria-pressed={pressed}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} size={20} />
    </button>
  );
}

type PopoverProps = {
  icon: IconName;
  label: string;
  target: string;
  active?: boolean;
  children: ReactNode;
};

function PopoverButton({ icon, label, target, active, children }: PopoverProps) {
  return (
    <>
      <button
        type="button"
        className="icon-button"
        data-active={active || undefined}
        aria-label={label}
        title={label}
        popoverTarget={target}
      >
        <Icon name={icon} size={20} />
      </button>
      <div id={target} popover="auto" className="popover" role="dialog" aria-label={label}>
        {children}
      </div>
    </>
  );
}
