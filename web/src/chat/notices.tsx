import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";
import type { useConversation } from "./use-conversation";

type Props = {
  conversation: ReturnType<typeof useConversation>;
  /** The browser plays no music before the page was touched. */
  isMuted: boolean;
};

/** What went wrong, in plain words, above the message box. */
export function Notices({ conversation, isMuted }: Props) {
  const texts = useTexts();
  const { error, isLost, isBack, isUnsent } = conversation;
  return (
    <>
      <div role="status" className="notices">
        {isLost && (
          <p className="notice" data-tone="warning">
            <span className="spinner" aria-hidden="true" />
            {navigator.onLine ? texts.connection.lost : texts.connection.offline}
          </p>
        )}
        {isBack && (
          <p className="notice" data-tone="good">
            <Icon name="check" />
            {texts.connection.back}
          </p>
        )}
        {isUnsent && !isLost && (
          <p className="notice" data-tone="warning">
            <Icon name="alert" />
            <span className="notice-text">{texts.connection.unsent}</span>
            <button type="button" className="button small" onClick={conversation.sendAgain}>
              {texts.connection.sendAgain}
            </button>
          </p>
        )}
        {isMuted && (
          <p className="notice" data-tone="warning">
            <Icon name="music" />
            {texts.music.blocked}
          </p>
        )}
      </div>
      {error && (
        <div role="alert" className="notice" data-tone="bad">
          <Icon name="alert" />
          <div className="notice-text">
            <strong>{texts.errors.title}</strong>
            <p>{readable(error, texts.errors)}</p>
          </div>
          <button type="button" className="button small" onClick={conversation.retry}>
            {texts.errors.retry}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={texts.errors.dismiss}
            onClick={conversation.dismissError}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </>
  );
}

/** The server writes its errors for users; what the browser throws is not for them. */
function readable(error: Error, texts: { unreachable: string; generic: string }): string {
  if (error instanceof TypeError) return texts.unreachable;
  return error.message || texts.generic;
}
