import { posix } from 'node:path';
import { Marked, type RendererObject, type Token } from 'marked';
import { fileOf, type Guide, guides } from './guide-list.js';

interface Parsed {
  readonly guide: Guide;
  readonly tokens: readonly Token[];
  readonly anchors: ReadonlySet<string>;
}

/** Files beside the guides, by their place in `docs`. Links of a guide are relative to `/docs/guides/`. */
const files: Readonly<Record<string, string>> = {
  'openapi.json': '../../openapi.json',
  'use/callbacks/signature-vectors.json': 'callbacks/signature-vectors.json',
};

/** The guides as HTML by name, without their omitted sections and the links to pages that are not served. */
export function renderGuides(read: (file: string) => string): ReadonlyMap<string, string> {
  const parsed = new Map(guides.map((guide) => [fileOf(guide), parse(guide, read(fileOf(guide)))]));
  return new Map([...parsed.values()].map((page) => [page.guide.name, render(page, parsed)]));
}

function parse(guide: Guide, text: string): Parsed {
  const tokens = withoutSections(new Marked().lexer(text), guide.omitted ?? []);
  const headings = tokens.flatMap((token) =>
    token.type === 'heading' ? [slugOf(token.text as string)] : [],
  );
  return { guide, tokens, anchors: new Set(headings) };
}

/** A section ends before the next heading of the same or a higher level. The page has the title of the guide already. */
function withoutSections(tokens: readonly Token[], omitted: readonly string[]): Token[] {
  let omittedDepth = Infinity;
  return tokens.filter((token) => {
    if (token.type !== 'heading') return omittedDepth === Infinity;
    const { depth, text } = token as { readonly depth: number; readonly text: string };
    if (depth <= omittedDepth) omittedDepth = omitted.includes(text) ? depth : Infinity;
    return omittedDepth === Infinity && depth > 1;
  });
}

function render({ guide, tokens }: Parsed, pages: ReadonlyMap<string, Parsed>): string {
  const renderer: RendererObject = {
    heading({ tokens: inner, depth, text }) {
      return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(inner)}</h${depth}>\n`;
    },
    link({ href, tokens: inner }) {
      const target = targetOf(href);
      const label = this.parser.parseInline(inner);
      return target === undefined ? label : `<a href="${target}">${label}</a>`;
    },
    tablerow: ({ text }) => {
      const [, id] = (guide.hasRowIds && /^<td><code>(\w+)<\/code>/.exec(text)) || [];
      return id === undefined ? false : `<tr id="${id}">\n${text}</tr>\n`;
    },
    // The guides contain no HTML.
    html: ({ text }) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  };
  const targetOf = (href: string): string | undefined => {
    if (href.startsWith('https://')) return href;
    const [path = '', anchor] = href.split('#');
    const file = path === '' ? fileOf(guide) : posix.join(posix.dirname(fileOf(guide)), path);
    if (file in files) return files[file];
    const page = pages.get(file);
    if (!page || (anchor !== undefined && !page.anchors.has(anchor))) return undefined;
    return (path === '' ? '' : page.guide.name) + (anchor === undefined ? '' : `#${anchor}`);
  };
  const html = new Marked({ renderer }).parser([...tokens]);
  return html.replaceAll(/<(table|pre)>/g, '<$1 tabindex="0">');
}

/** As GitHub does it, so that the links of the files work here too. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
