import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";

type Props = {
  busy: boolean;
  disabled: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
};

export function Composer({ busy, disabled, onSend, onStop }: Props) {
  const texts = useTexts();
  const hintId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");

  useEffect(() => field.current?.focus(), []);

  const send = () => {
    if (busy || disabled || !text.trim()) return;
    onSend(text.trim());
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter also ends the conversion of Japanese input; then it is not meant for us.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        id="message"
        rows={1}
        value={text}
        aria-label={texts.composer.label}
        aria-describedby={hintId}
        placeholder={texts.composer.placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span id={hintId} className="visually-hidden">
        {texts.composer.hint}
      </span>
      {busy ? (
        <button
          key="stop"
          type="button"
          className="round stop"
          aria-label={texts.composer.stop}
          title={texts.composer.stop}
          onClick={() => {
            onStop();
            field.current?.focus();
          }}
        >
          <Icon name="stop" />
        </button>
      ) : (
        <button
          key="send"
          type="submit"
          className="round"
          aria-label={texts.composer.send}
          title={texts.composer.send}
          disabled={disabled || !text.trim()}
        >
          <Icon name="arrowUp" />
        </button>
      )}
    </form>
  );
}
