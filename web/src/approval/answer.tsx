import { useId, useState } from "react";
import { useTexts } from "../i18n";

type Props = {
  title: string;
  onApprove: (reason?: string) => void;
  onDeny: (reason?: string) => void;
};

/** Yes or no, and why. */
export function Answer({ title, onApprove, onDeny }: Props) {
  const texts = useTexts();
  const reasonId = useId();
  const [reason, setReason] = useState("");
  const given = reason.trim() || undefined;
  return (
    <form className="answer" onSubmit={(event) => event.preventDefault()}>
      <label className="visually-hidden" htmlFor={reasonId}>
        {texts.approval.reason}
      </label>
      <input
        id={reasonId}
        className="field"
        value={reason}
        maxLength={1000}
        placeholder={texts.approval.reason}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="answer-buttons">
        <button
          type="button"
          className="button"
          aria-label={texts.approval.denyOf(title)}
          onClick={() => onDeny(given)}
        >
          {texts.approval.deny}
        </button>
        <button
          type="button"
          className="button primary"
          aria-label={texts.approval.approveOf(title)}
          onClick={() => onApprove(given)}
        >
          {texts.approval.approve}
        </button>
      </div>
    </form>
  );
}
