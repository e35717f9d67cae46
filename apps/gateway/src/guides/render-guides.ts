import { Marked, type RendererObject, type Token, type Tokens } from 'marked';
import { escapeHtml } from '../http/pages/html-page.js';
import { type Guide, guides } from '../openapi/guide-list.js';

/** A part of a page with its own heading; the part before the first one has none. */
export interface GuideSection {
  readonly id: string;
  readonly heading: string;
  readonly depth: number;
  /** Without markup, for the search. */
  readonly text: string;
}

export interface RenderedGuide {
  readonly guide: Guide;
  readonly html: string;
  readonly sections: readonly GuideSection[];
}

interface Parsed {
  readonly guide: Guide;
  readonly tokens: readonly Token[];
  readonly sections: readonly GuideSection[];
}

/** Files beside the guides. Links of a guide are relative to `/docs/guides/`. */
const files: Readonly<Record<string, string>> = {
  '../openapi.json': '../../openapi.json',
  'callbacks/signature-vectors.json': 'callbacks/signature-vectors.json',
  'examples/receiver.mjs': 'examples/receiver.mjs',
};

/** All guides, without the links to pages that are not served. */
export function renderGuides(read: (file: string) => string): readonly RenderedGuide[] {
  const parsed = new Map(guides.map((guide) => [guide.name, parse(guide, read(`${guide.name}.md`))]));
  return [...parsed.values()].map((page) => ({
    guide: page.guide,
    html: render(page, parsed),
    sections: page.sections,
  }));
}

/** Leaves out the title of the guide, which the page has already. */
function parse(guide: Guide, text: string): Parsed {
  const tokens = new Marked().lexer(text).filter((token) => !isHeading(token) || token.depth > 1);
  return { guide, tokens, sections: sectionsOf(tokens) };
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

function sectionsOf(tokens: readonly Token[]): GuideSection[] {
  const sections: GuideSection[] = [{ id: '', heading: '', depth: 1, text: '' }];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (isHeading(token))
      sections.push({ id: slugOf(token.text), heading: plainText([token]), depth: token.depth, text: '' });
    else if (last) sections[sections.length - 1] = { ...last, text: `${last.text} ${plainText([token])}` };
  }
  return sections;
}

/** The words of the tokens, with those of lists and tables. */
function plainText(tokens: readonly Token[]): string {
  const inner = (token: Token): string => {
    if (token.type === 'list') return plainText((token as Tokens.List).items);
    if (token.type === 'table') {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].flatMap((row) => row.map((cell) => plainText(cell.tokens))).join(' ');
    }
    if ('tokens' in token) return plainText(token.tokens);
    return 'text' in token ? String(token.text) : '';
  };
  return tokens
    .map((token) => inner(token) + (token.type === 'text' || token.type === 'codespan' ? '' : ' '))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trimEnd();
}

function render({ guide, tokens }: Parsed, pages: ReadonlyMap<string, Parsed>): string {
  const renderer: RendererObject = {
    heading({ tokens: inner, depth, text }) {
      const id = slugOf(text);
      const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${this.parser.parseInline(inner)} ${link}</h${depth}>\n`;
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
    html: ({ text }) => escapeHtml(text),
  };
  const targetOf = (href: string): string | undefined => {
    if (href.startsWith('https://')) return href;
    const [file = '', anchor] = href.split('#');
    if (file in files) return files[file];
    const name = file.replace(/\.md$/, '');
    const page = pages.get(file === '' ? guide.name : name);
    if (!page || (anchor !== undefined && !page.sections.some(({ id }) => id === anchor))) return undefined;
    return name + (anchor === undefined ? '' : `#${anchor}`);
  };
  const html = new Marked({ renderer }).parser([...tokens]);
  return html.replaceAll('<table>', '<table tabindex="0">').replaceAll('<pre>', '<pre tabindex="0">');
}

/** Makes slugs as GitHub does, so that the links of the files work here too. */
const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
