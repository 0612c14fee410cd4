import type { ToolPart } from "@adk-stream-protocol/client";
import { useTexts } from "../i18n";
import { Icon } from "../ui/icons";
import { Fields, type Row, rowsOf } from "./fields";

/** Input and output of a call, folded. */
export function ToolDetails({ part }: { part: ToolPart }) {
  const texts = useTexts();
  const input = rowsOf(part.input, texts.tools.input);
  const output = outputRows(part, texts.tools.output, texts.tools.error);
  if (input.length + output.length === 0) return null;
  return (
    <details className="tool-details">
      <summary>
        <Icon name="chevron" size={14} />
        {texts.tools.details}
      </summary>
      <Section title={texts.tools.input} rows={input} />
      <Section title={texts.tools.output} rows={output} />
    </details>
  );
}

function Section({ title, rows }: { title: string; rows: Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <Fields rows={rows} />
    </>
  );
}

function outputRows(part: ToolPart, output: string, error: string): Row[] {
  if (part.state === "output-available") return rowsOf(part.output, output);
  return part.state === "output-error" ? [{ name: error, value: part.errorText }] : [];
}
