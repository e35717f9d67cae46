import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { searchOptions } from './guide-search.js';

/** The module for browsers is beside the one for `require`. */
const miniSearchFile = createRequire(import.meta.url)
  .resolve('minisearch')
  .replace(/cjs([/\\])index\.cjs$/, 'es$1index.js');

/** The search, and the buttons that copy examples. The pages can be read without it. */
const script = `
const base = new URL('.', import.meta.url);
const form = document.querySelector('form.search');
const input = form.querySelector('input');
const results = form.querySelector('ol');
const status = form.querySelector('[role=status]');

let loading;
const load = () =>
  (loading ??= fetch(new URL('search.json', base))
    .then((response) => (response.ok ? response.text() : Promise.reject(new Error('no index'))))
    .then((text) => MiniSearch.loadJSON(text, ${JSON.stringify(searchOptions)}))
    .catch(() => { loading = undefined; }));

const element = (name, text, className) => {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
};

const show = async () => {
  const query = input.value.trim();
  const index = query === '' ? undefined : await load();
  if (query !== input.value.trim()) return;
  const found = index?.search(query, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 2, heading: 3 } }) ?? [];
  results.replaceChildren(...found.slice(0, 12).map(({ id, title, heading, start }) => {
    const link = element('a', heading ? title + ' › ' + heading : title);
    link.href = new URL(id, base);
    link.append(element('span', start, 'start'));
    const item = document.createElement('li');
    item.append(link);
    return item;
  }));
  results.hidden = found.length === 0;
  status.textContent = query === '' ? '' : !index ? 'The search is not available' : found.length === 0 ? 'Nothing was found' : '';
};

form.hidden = false;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.click();
});
input.addEventListener('focus', load);
input.addEventListener('input', show);
const close = () => { results.hidden = true; status.textContent = ''; };
results.addEventListener('click', close);
document.addEventListener('click', ({ target }) => { if (!form.contains(target)) close(); });
document.addEventListener('keydown', (event) => {
  const typing = event.target.closest('input, textarea');
  if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  } else if (event.key === 'Escape') close();
  else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && form.contains(event.target) && !results.hidden) {
    event.preventDefault();
    const stops = [input, ...results.querySelectorAll('a')];
    const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
    stops[(next + stops.length) % stops.length].focus();
  }
});

/** Browsers have no clipboard on a page without TLS: there the text is selected and copied. */
const copy = async (code) => {
  if (navigator.clipboard) return navigator.clipboard.writeText(code.textContent);
  getSelection().selectAllChildren(code);
  if (!document.execCommand('copy')) throw new Error('not copied');
};
for (const pre of document.querySelectorAll('main pre')) {
  const button = element('button', 'Copy', 'copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    button.textContent = await copy(pre.querySelector('code')).then(() => 'Copied', () => 'Not copied');
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  pre.replaceWith(frame);
  frame.append(pre, button);
}
`;

/** One module: MiniSearch, whose last lines export it, and the script that uses it. */
export const guideScript = (): string =>
  `${readFileSync(miniSearchFile, 'utf8').replace(/^export \{[^}]*\};$|^\/\/# sourceMappingURL.*$/gm, '')}\n${script}`;
