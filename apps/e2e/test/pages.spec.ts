import { fileURLToPath } from 'node:url';
import { acceptsConnections, freePort, TestSystem, until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { blocksOf, shapeOf } from './pages/page-blocks.js';
import { Reader } from './pages/reader.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The port of each program of the pages. */
const portOf: Readonly<Record<string, string>> = { listen: '4000', receiver: '4001', carrier: '4100' };

/**
 * Runs a page as it is written, except for its ports, which others may use here, and the `start` command, which is run
 * on an own data folder.
 */
async function follow(page: string): Promise<void> {
  const blocks = blocksOf(page);
  const start = blocks.find(({ terminal }) => terminal === 'start')?.content ?? '';
  const system = await TestSystem.open(
    start.includes('SIMULATE_LIVE=false') ? { SIMULATE_LIVE: 'false' } : {},
  );
  const ports = new Map<string, string>([['3000', String(system.port)]]);
  for (const port of ['4000', '4001', '4100']) ports.set(port, String(await freePort()));
  const ported = (text: string): string =>
    text.replaceAll(/\b(3000|4000|4001|4100)\b/g, (port) => ports.get(port) ?? port);
  const reader = new Reader(root, { ...process.env, GANGAN_DATA_DIR: system.folder, CI: 'true' });
  try {
    await system.start();
    let printed = '';
    for (const { kind, terminal, content } of blocks) {
      if (terminal === 'start' || /^npx --yes pnpm@12 (start|test)$/.test(content.trim())) continue;
      const text = ported(content);
      if (kind === 'text' && terminal === undefined) expect(printed).toMatch(shapeOf(text));
      else if (kind === 'text')
        await until(`${terminal} prints\n${text}\nand not only\n${reader.printedIn(terminal ?? '')}`, () =>
          shapeOf(text).test(reader.printedIn(terminal ?? '')),
        );
      else if (terminal === undefined) printed = await reader.run(text);
      else {
        const port = ports.get(portOf[terminal] ?? '');
        reader.open(terminal, `${text.trim()} ${terminal === 'listen' ? '--port ' : ''}${port ?? ''}`);
        if (port !== undefined) await until(`${terminal} listens`, () => acceptsConnections(Number(port)));
      }
    }
  } finally {
    await reader.close();
    await system.close();
  }
}

describe('the commands of a page print what it says', () => {
  const pages = ['docs/first-ten-minutes.md', 'docs/first-live-message.md', 'README.md'];
  // A page has up to six commands of `npx`, each of which needs seconds.
  it.each(pages)('%s', follow, 600_000);

  it('finds shapes only where they are', () => {
    expect('{"id":"7","status":"sent"}').toMatch(shapeOf('{"id":"…","status":"sent"}'));
    expect('{"id":"7","status":"failed"}').not.toMatch(shapeOf('{"id":"…","status":"sent"}'));
  });
});
