import { useMemo, useState, useSyncExternalStore } from "react";
import { ChatView } from "./chat/chat-view";
import { Loading } from "./chat/loading";
import type { Transports } from "./chat/transports";
import { useHistory } from "./chat/use-history";
import { LANGUAGES, TextsProvider } from "./i18n";
import { Inspector } from "./inspector/inspector";
import type { Entry, Recording } from "./inspector/recording";
import { ReplayView } from "./inspector/replay-view";
import { browserTools } from "./tools/browser-tools";
import type { Jukebox } from "./tools/jukebox";
import { useJukebox } from "./tools/music-panel";
import { Chats } from "./ui/chats";
import { Header } from "./ui/header";
import { useSettings } from "./ui/settings";
import { useStable } from "./ui/stable";
import { useChatId } from "./ui/use-chat-id";

type Props = { transports: Transports; recording: Recording; jukebox: Jukebox };
type Replay = { name: string; entries: Entry[] };

export function App({ transports, recording, jukebox }: Props) {
  const settings = useSettings();
  const texts = LANGUAGES[settings.language];
  const chat = useChatId();
  const history = useHistory(chat.id, chat.isNew);
  const currentTexts = useStable(() => texts);
  const tools = useMemo(() => browserTools(jukebox, currentTexts), [jukebox, currentTexts]);
  const live = useSyncExternalStore(recording.subscribe, recording.entries);
  const { blocked } = useJukebox(jukebox);
  const [replay, setReplay] = useState<Replay>();
  return (
    <TextsProvider value={texts}>
      <a className="skip" href="#message">
        {texts.page.skip}
      </a>
      <Header settings={settings} jukebox={jukebox} onNewChat={() => chat.open()}>
        <Chats current={chat.id} onOpen={chat.open} />
      </Header>
      {replay && <ReplayView {...replay} onLeave={() => setReplay(undefined)} />}
      {!history.messages && <Loading isMissing={history.isMissing} onRetry={history.retry} />}
      {history.messages && (
        <ChatView
          key={chat.id}
          hidden={replay !== undefined}
          isMuted={blocked}
          chatId={chat.id}
          initial={history.messages}
          transports={transports}
          transport={settings.transport}
          tools={tools}
          onSend={chat.keep}
        />
      )}
      {settings.inspector === "open" && (
        <Inspector
          entries={replay?.entries ?? live}
          whole={() => replay?.entries ?? recording.whole()}
          onClear={replay ? undefined : () => recording.clear()}
          onReplay={(name, entries) => setReplay({ name, entries })}
          onClose={() => settings.setInspector("closed")}
        />
      )}
    </TextsProvider>
  );
}
