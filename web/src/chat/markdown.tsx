/**
 * Markdown as React elements. Nothing is ever given to the browser as HTML: what looks like HTML in
 * the text is shown as text, and pictures of other servers are links, not requests.
 */
import { Lexer, type Token, type Tokens } from "marked";
import { Fragment, memo, type ReactNode, useMemo } from "react";

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => new Lexer({ gfm: true, breaks: true }).lex(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, index) => (
        <Block key={index} block={block} raw={block.raw} />
      ))}
    </div>
  );
}

/** While a text streams, only its last block changes. */
const Block = memo(
  ({ block }: { block: Token; raw: string }) => renderBlock(block),
  (before, after) => before.raw === after.raw,
);

function renderBlock(token: Token): ReactNode {
  switch (token.type) {
    case "heading":
      return heading(token as Tokens.Heading);
    case "paragraph":
      return <p>{inline(token)}</p>;
    case "text":
      return inline(token);
    case "code":
      return <CodeBlock token={token as Tokens.Code} />;
    case "blockquote":
      return <blockquote>{children(token)}</blockquote>;
    case "list":
      return list(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return <hr />;
    case "space":
    case "def":
      return null;
    default:
      return <p>{token.raw}</p>;
  }
}

const children = (token: Token): ReactNode =>
  ("tokens" in token ? (token.tokens ?? []) : []).map((child, index) => (
    <Fragment key={index}>{renderBlock(child)}</Fragment>
  ));

function heading(token: Tokens.Heading): ReactNode {
  // The page has its own first and second headings.
  const Tag = `h${Math.min(6, token.depth + 2)}` as "h3" | "h4" | "h5" | "h6";
  return <Tag>{inline(token)}</Tag>;
}

function CodeBlock({ token }: { token: Tokens.Code }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre tabIndex={0}>
      <code>{token.text}</code>
    </pre>
  );
}

function list(token: Tokens.List): ReactNode {
  const items = token.items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} disabled readOnly />}
      {children(item)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function table(token: Tokens.Table): ReactNode {
  const row = (cells: Tokens.TableCell[], Cell: "th" | "td", key: number) => (
    <tr key={key}>
      {cells.map((cell, index) => (
        <Cell key={index} className={cell.align ? `align-${cell.align}` : undefined}>
          {cell.tokens.map(renderInline)}
        </Cell>
      ))}
    </tr>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div className="table-scroll" tabIndex={0}>
      <table>
        <thead>{row(token.header, "th", 0)}</thead>
        <tbody>{token.rows.map((cells, index) => row(cells, "td", index))}</tbody>
      </table>
    </div>
  );
}

function inline(token: Token): ReactNode {
  const tokens = "tokens" in token ? token.tokens : undefined;
  return tokens ? tokens.map(renderInline) : unescaped(token);
}

function renderInline(token: Token, key: number): ReactNode {
  switch (token.type) {
    case "strong":
      return <strong key={key}>{inline(token)}</strong>;
    case "em":
      return <em key={key}>{inline(token)}</em>;
    case "del":
      return <del key={key}>{inline(token)}</del>;
    case "codespan":
      return <code key={key}>{unescaped(token)}</code>;
    case "br":
      return <br key={key} />;
    case "link":
      return <Link key={key} token={token as Tokens.Link} />;
    case "image":
      return <Picture key={key} token={token as Tokens.Image} />;
    case "text":
    case "escape":
      return <Fragment key={key}>{inline(token)}</Fragment>;
    default:
      return <Fragment key={key}>{token.raw}</Fragment>;
  }
}

const unescaped = (token: Token): string => ("text" in token ? String(token.text) : token.raw);

const Link = ({ token }: { token: Tokens.Link }) => (
  <SafeLink href={token.href} text={token.text} label={inline(token)} />
);

type LinkProps = { href: string; text: string; label: ReactNode };

/** A link says where it leads, unless its text is that very address. */
function SafeLink({ href, text, label }: LinkProps) {
  if (!/^(https?:|mailto:)/i.test(href)) return label;
  const target = targetOf(href);
  const link = (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {label}
    </a>
  );
  return (
    <>
      {target ? link : label}
      {!isItsOwnText(href, text, target) && (
        <span className="link-target"> ({target ?? href})</span>
      )}
    </>
  );
}

/** The host as the browser understands it: without a name before an @, and foreign letters as xn--. */
function targetOf(href: string): string | undefined {
  try {
    const { protocol, host, pathname } = new URL(href);
    return protocol === "mailto:" ? decodeURIComponent(pathname) : host;
  } catch {
    return undefined;
  }
}

function isItsOwnText(href: string, text: string, target: string | undefined): boolean {
  const [named] = href.replace(/^(https?:\/\/|mailto:)/i, "").split(/[/?#]/, 1);
  return named?.toLowerCase() === target && href.endsWith(text) && text.includes(target ?? " ");
}

function Picture({ token }: { token: Tokens.Image }) {
  if (/^data:image\/(png|jpeg|gif|webp);/i.test(token.href))
    return <img src={token.href} alt={token.text} />;
  const text = token.text || token.href;
  return <SafeLink href={token.href} text={text} label={text} />;
}
