import { useTexts } from "../i18n";

/** In place of a conversation that is not there yet. */
export function Loading({ isMissing, onRetry }: { isMissing: boolean; onRetry: () => void }) {
  const texts = useTexts();
  return (
    <main className="chat">
      <div className="loading" role="status">
        <p>{isMissing ? texts.errors.unreachable : texts.page.loading}</p>
        {isMissing && (
          <button type="button" className="button" onClick={onRetry}>
            {texts.errors.retry}
          </button>
        )}
      </div>
    </main>
  );
}
