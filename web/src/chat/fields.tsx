import { useTexts } from "../i18n";

export type Row = {
  name: string;
  value: string;
  kind?: string;
  cut?: boolean;
  lookAlike?: boolean;
};

/** Names and values of a call, laid out. Always as text, never as markup. */
export function Fields({ rows }: { rows: readonly Row[] }) {
  const texts = useTexts();
  if (rows.length === 0) return null;
  return (
    <dl className="fields">
      {rows.map(({ name, value, kind, cut, lookAlike }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-kind={kind}>
            {value}
            {cut && <em className="cut"> {texts.approval.cut}</em>}
            {lookAlike && <em className="look-alike">{texts.approval.lookAlike}</em>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** An object as one row per entry, anything else as one row. */
export function rowsOf(value: unknown, name: string): Row[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object" || Array.isArray(value)) return [{ name, value: asText(value) }];
  return Object.entries(value).map(([key, inner]) => ({ name: key, value: asText(inner) }));
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
