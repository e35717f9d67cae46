import { createHash } from 'node:crypto';
import { pageHeaders } from '../http/pages/html-page.js';
import { guideGroups } from '../openapi/guide-list.js';
import type { GuideSection, RenderedGuide } from './render-guides.js';

const style = `
:root { color-scheme: light dark; --text: #1f2937; --dim: #5b6472; --back: #fff; --soft: #f3f4f6; --line: #d8dce2; --link: #1d4ed8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e5e7eb; --dim: #a2abb8; --back: #111827; --soft: #1c2534; --line: #364152; --link: #93c5fd; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
a { color: var(--link); }
header {
  z-index: 1; display: flex; flex-wrap: wrap; gap: 0.4rem 1.2rem; align-items: center;
  padding: 0.6rem 1rem; background: var(--back); border-bottom: 1px solid var(--line);
}
header a { text-decoration: none; }
header .home { font-weight: 600; color: inherit; }
.search { position: relative; width: 100%; }
.search input {
  width: 100%; padding: 0.35rem 0.7rem; font: inherit; color: inherit; background: var(--soft);
  border: 1px solid var(--line); border-radius: 0.4rem;
}
.search ol {
  position: absolute; right: 0; z-index: 2; width: min(32rem, calc(100vw - 2rem)); max-height: 70vh; margin: 0.3rem 0 0; padding: 0.3rem;
  overflow-y: auto; list-style: none; background: var(--back); border: 1px solid var(--line); border-radius: 0.4rem; box-shadow: 0 0.5rem 1.5rem #0004;
}
.search ol a { display: block; padding: 0.4rem 0.6rem; border-radius: 0.3rem; font-weight: 600; }
.search ol a:hover, .search ol a:focus { background: var(--soft); }
.search .start { display: block; overflow: hidden; font-size: 0.85rem; font-weight: 400; color: var(--dim); text-overflow: ellipsis; white-space: nowrap; }
.search [role=status] { position: absolute; right: 0.2rem; font-size: 0.85rem; color: var(--dim); background: var(--back); }
.page { display: flex; flex-direction: column; gap: 0 2.5rem; max-width: 84rem; margin: 0 auto; padding: 0 1rem 4rem; }
main { min-width: 0; flex: 1; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav h2 { margin: 1.4rem 0 0.3rem; font-size: 0.8rem; letter-spacing: 0.04em; text-transform: uppercase; color: var(--dim); }
nav a { display: block; padding: 0.2rem 0.6rem; border-radius: 0.3rem; text-decoration: none; color: inherit; }
nav a:hover { text-decoration: underline; }
nav a[aria-current] { font-weight: 600; background: var(--soft); }
.contents { font-size: 0.9rem; }
.contents .deeper a { padding-left: 1.6rem; }
aside { display: none; }
details.contents { margin: 1rem 0; padding: 0.4rem 0.8rem; border: 1px solid var(--line); border-radius: 0.4rem; }
.guides { border-top: 1px solid var(--line); margin-top: 3rem; }
h1, h2, h3 { line-height: 1.25; }
h1 { margin: 1.6rem 0 0.8rem; font-size: 1.9rem; }
main h2 { margin-top: 2.2em; padding-bottom: 0.2rem; border-bottom: 1px solid var(--line); }
main h3 { margin-top: 1.8em; }
.anchor { margin-left: 0.2rem; font-weight: 400; text-decoration: none; color: var(--dim); opacity: 0; }
:is(h2, h3):hover .anchor, .anchor:focus { opacity: 1; }
:target { background: #facc1533; }
table { display: block; overflow-x: auto; max-width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; min-width: 3rem; }
th { background: var(--soft); }
th:first-child, td:first-child { min-width: min(11rem, 25vw); }
.code { position: relative; }
pre { overflow-x: auto; background: var(--soft); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.8rem; font-size: 0.85rem; line-height: 1.45; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre code { font-size: inherit; overflow-wrap: normal; }
.copy {
  position: absolute; top: 0.4rem; right: 0.4rem; padding: 0.1rem 0.6rem; font: 0.8rem/1.5 system-ui, sans-serif; cursor: pointer;
  color: var(--text); background: var(--back); border: 1px solid var(--line); border-radius: 0.3rem; opacity: 0.85;
}
.copy:hover, .copy:focus { opacity: 1; }
.next { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1rem; margin-top: 3rem; }
@media (max-width: 60rem) { .code pre { padding-top: 2.2rem; } }
@media (min-width: 60rem) {
  html { scroll-padding-top: 4.5rem; }
  header { position: sticky; top: 0; }
  .search { width: 22rem; margin-left: auto; }
  .page { flex-direction: row; }
  .guides { order: -1; flex: 0 0 13rem; margin: 0; border: 0; }
  .guides, aside { position: sticky; top: 3.8rem; align-self: flex-start; max-height: calc(100vh - 3.8rem); overflow-y: auto; padding: 0.4rem 0 2rem; }
  header .to-guides { display: none; }
}
@media (min-width: 80rem) {
  aside { display: block; flex: 0 0 14rem; }
  details.contents { display: none; }
}
@media print { header, nav, aside, details.contents, .copy, .anchor { display: none; } }
`;

/** Allows scripts and requests of the gateway, but no scripts within a page. */
export const guideHeaders = {
  ...pageHeaders,
  'content-security-policy': pageHeaders['content-security-policy'].replace(
    "style-src 'unsafe-inline';",
    "style-src 'unsafe-inline'; script-src 'self'; connect-src 'self';",
  ),
};

/** Relative, because a proxy may serve the guides below a path. */
interface Place {
  /** The path from the page to the folder of the guides. */
  readonly toGuides: string;
  readonly current?: string;
}

const navigation = ({ toGuides, current }: Place): string =>
  guideGroups
    .map(
      ({ title, guides: listed }) => `<h2>${title}</h2>
<ul>
${listed
  .map(
    ({ name, title: label }) =>
      `<li><a href="${toGuides}${name}"${name === current ? ' aria-current="page"' : ''}>${label}</a></li>`,
  )
  .join('\n')}
</ul>`,
    )
    .join('\n');

const contentsOf = (sections: readonly GuideSection[]): string =>
  `<ul>
${sections
  .filter(({ id }) => id !== '')
  .map(
    ({ id, heading, depth }) =>
      `<li${depth > 2 ? ' class="deeper"' : ''}><a href="#${id}">${heading}</a></li>`,
  )
  .join('\n')}
</ul>`;

interface Page extends Place {
  readonly title: string;
  readonly body: string;
  readonly contents?: string;
}

/** `version` changes the address of the script when it changes. */
const pageOf = (version: string, { title, body, contents, ...place }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Gangan</title>
<link rel="icon" href="data:,">
<style>${style}</style>
<script type="module" src="${place.toGuides}guides.js?v=${version}"></script>
</head>
<body>
<header>
<a class="home" href="${place.toGuides}../guides">Guides</a>
<a href="${place.toGuides}../../docs">API reference</a>
${place.current ? '<a class="to-guides" href="#guides">All guides</a>' : ''}
<form class="search" role="search" hidden>
<input type="search" aria-label="Search the guides" placeholder="Search the guides  ( / )" autocomplete="off" spellcheck="false">
<span role="status"></span>
<ol hidden></ol>
</form>
</header>
<div class="page">
<main>
<h1>${title}</h1>
${body}
</main>
${contents ? `<aside><nav class="contents" aria-label="Contents"><h2>On this page</h2>\n${contents}</nav></aside>` : ''}
${place.current ? `<nav class="guides" id="guides" aria-label="Guides">\n${navigation(place)}\n</nav>` : ''}
</div>
</body>
</html>
`;

export const versionOf = (script: string): string =>
  createHash('sha256').update(script).digest('base64url').slice(0, 10);

export const listPage = (version: string): string =>
  pageOf(version, {
    title: 'Guides',
    body: `<p>How to use the API. Begin with <a href="guides/first-ten-minutes">the first ten minutes</a>. The <a href="../docs">API reference</a> describes every request.</p>
${navigation({ toGuides: 'guides/' })}`,
    toGuides: 'guides/',
  });

/** `next` is the guide after this one. */
export function guidePage(
  version: string,
  { guide, html, sections }: RenderedGuide,
  next?: RenderedGuide,
): string {
  const contents = sections.length > 2 ? contentsOf(sections) : '';
  const opened =
    contents && `<details class="contents"><summary>On this page</summary>\n<nav>${contents}</nav></details>`;
  const following = next
    ? `<p class="next"><span></span><a href="${next.guide.name}">Next: ${next.guide.title}</a></p>`
    : '';
  return pageOf(version, {
    title: guide.title,
    body: `${opened}\n${html}\n${following}`,
    contents,
    toGuides: '',
    current: guide.name,
  });
}
