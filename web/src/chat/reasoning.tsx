import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";
import { Markdown } from "./markdown";

/** What the model thought. It folds away; while it is being thought, its heading says so. */
export function Reasoning({ text, streaming }: { text: string; streaming: boolean }) {
  const texts = useTexts();
  return (
    <details className="reasoning" data-streaming={streaming || undefined}>
      <summary>
        <Icon name="chevron" size={14} />
        <Icon name="spark" size={15} />
        {streaming ? texts.message.thinking : texts.message.thought}
      </summary>
      <div className="reasoning-text">
        <Markdown text={text} />
      </div>
    </details>
  );
}
