import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { Icon, type IconName } from "../ui/icons";
import { readable } from "./refusal";
import type { useConversation } from "./use-conversation";

type Props = {
  conversation: ReturnType<typeof useConversation>;
  /** The browser plays no music before the page was touched. */
  isMuted: boolean;
};

/** What went wrong, in plain words, above the message box. */
export function Notices({ conversation, isMuted }: Props) {
  const texts = useTexts();
  const { error, isLost, isBack, isTakenOver, takeBack, unanswered, sendAgain } = conversation;
  return (
    <>
      <div role="status" className="notices">
        {isLost && (
          <Notice tone="warning" icon="spinner">
            {navigator.onLine ? texts.connection.lost : texts.connection.offline}
          </Notice>
        )}
        {isBack && (
          <Notice tone="good" icon="check">
            {texts.connection.back}
          </Notice>
        )}
        {unanswered && !isLost && (
          <Notice
            tone="warning"
            icon="alert"
            action={texts.connection.sendAgain}
            onAction={sendAgain}
          >
            {unanswered === "unsent" ? texts.connection.unsent : texts.connection.cutOff}
          </Notice>
        )}
        {isTakenOver && (
          <Notice
            tone="warning"
            icon="screen"
            action={texts.connection.takeBack}
            onAction={takeBack}
          >
            {texts.connection.takenOver}
          </Notice>
        )}
        {isMuted && (
          <Notice tone="warning" icon="music">
            {texts.music.blocked}
          </Notice>
        )}
      </div>
      {error && (
        <Fault error={error} onRetry={conversation.retry} onDismiss={conversation.dismissError} />
      )}
    </>
  );
}

type NoticeProps = {
  tone: "warning" | "good";
  icon: IconName | "spinner";
  action?: string;
  onAction?: () => void;
  children: ReactNode;
};

function Notice({ tone, icon, action, onAction, children }: NoticeProps) {
  return (
    <div className="notice" data-tone={tone}>
      {icon === "spinner" ? <span className="spinner" aria-hidden="true" /> : <Icon name={icon} />}
      <p className="notice-text">{children}</p>
      {action && (
        <button type="button" className="button small" onClick={() => onAction?.()}>
          {action}
        </button>
      )}
    </div>
  );
}

type FaultProps = { error: Error; onRetry: () => void; onDismiss: () => void };

function Fault({ error, onRetry, onDismiss }: FaultProps) {
  const texts = useTexts();
  return (
    <div role="alert" className="notice" data-tone="bad">
      <Icon name="alert" />
      <div className="notice-text">
        <strong>{texts.errors.title}</strong>
        <p>{readable(error, texts.errors)}</p>
      </div>
      <button type="button" className="button small" onClick={onRetry}>
        {texts.errors.retry}
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.errors.dismiss}
        onClick={onDismiss}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}
