import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";

/** How long an answer is still taken. */
export function Countdown({ seconds }: { seconds: number }) {
  const texts = useTexts();
  const minutes = Math.floor(seconds / 60);
  const clock = `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  return (
    <span className="countdown" data-urgent={seconds <= 30 || undefined} role="timer">
      <Icon name="clock" size={15} />
      <span aria-hidden="true">{texts.approval.expiresIn(clock)}</span>
      <span className="visually-hidden">{texts.approval.expiresInWords(minutes)}</span>
    </span>
  );
}
