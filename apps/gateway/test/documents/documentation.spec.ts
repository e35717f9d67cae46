import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesLike = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));

const pages = filesLike('*.md');
const counted = pages.filter((file) => file === 'README.md' || file.startsWith('docs/'));

const withoutCode = (text: string): string => text.replaceAll(/^( *)```[^]*?^\1```$/gm, '');
const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** The fragment by which GitHub and the guides link to a heading. */
const fragmentOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const fragmentsOf = (file: string): Set<string> =>
  new Set(
    [...withoutCode(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => fragmentOf(heading)),
  );

/** Why a link leads nowhere. */
function faultOf(from: string, link: string, file: string, fragment: string | undefined): string[] {
  if (!existsSync(join(root, file))) return [`${from}: ${link} is not a file`];
  const isRead = fragment !== undefined && file.endsWith('.md');
  return isRead && !fragmentsOf(file).has(fragment) ? [`${from}: ${link} has no such heading`] : [];
}

describe('the documentation', () => {
  it('has links that lead to a file and a heading', () => {
    const faults = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .flatMap((link) => {
          const [path = '', fragment] = link.split('#');
          return faultOf(page, link, path === '' ? page : join(dirname(page), path), fragment);
        }),
    );
    expect(faults).toEqual([]);
  });

  it('names files that exist', () => {
    const named = pages.flatMap((page) =>
      [...read(page).matchAll(/`((?:apps|libs|tools|prisma|ops|\.ci)\/[\w/.@-]+)`/g)].map(
        ([, path = '']) => path,
      ),
    );
    const written = named.filter((path) => !path.includes('/dist'));
    expect(written.length).toBeGreaterThan(50);
    expect(written.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('has the pages and headings that files of the project name', () => {
    const sources = filesLike('*.ts', '*.mjs', '*.sql', '*.yml', '*.cfg', 'ops/*');
    const faults = sources.flatMap((source) =>
      [...read(source).matchAll(/\bdocs\/(?:use|operate|inside)\/[\w/-]+\.md(?:#([\w-]+))?/g)].flatMap(
        ([link, fragment]) => faultOf(source, link, link.replace(/#.*/, ''), fragment),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('has at most 48,000 words, and at most 100 in a paragraph', () => {
    const paragraphs = counted.flatMap((page) =>
      withoutCode(read(page))
        .split(/\n(?:\s*\n|(?= *(?:[-*]|\d+\.) ))/)
        .filter((paragraph) => !paragraph.trimStart().startsWith('|')),
    );
    expect(paragraphs.filter((paragraph) => wordsOf(paragraph).length > 100)).toEqual([]);
    const total = counted.reduce((sum, page) => sum + wordsOf(read(page)).length, 0);
    expect(total).toBeLessThanOrEqual(48_000);
  });
});
