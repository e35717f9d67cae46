import { fileURLToPath } from 'node:url';
import { sql } from '@gangan/database';
import { acceptsConnections, freePort, isFullSuite, type ReachableSystem, until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { blocksOf, shapeOf } from './pages/page-blocks.js';
import { Reader } from './pages/reader.js';
import { useSharedSystem } from './support/shared-system.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The port of each program of the pages. */
const portOf: Readonly<Record<string, string>> = { listen: '4000', receiver: '4001', carrier: '4100' };

/**
 * Runs a page as it is written, except for its ports, which others may use here, and the `start` command, because the
 * system runs already. The fast suite runs the built program of `pnpm admin`: `pnpm admin` itself builds first, which
 * takes seconds and writes the files again that the processes of other tests load.
 */
async function follow(system: ReachableSystem, page: string): Promise<void> {
  const blocks = blocksOf(page);
  const ports = new Map<string, string>([['3000', String(system.port)]]);
  for (const port of ['4000', '4001', '4100']) ports.set(port, String(await freePort()));
  const ported = (text: string): string =>
    text.replaceAll(/\b(3000|4000|4001|4100)\b/g, (port) => ports.get(port) ?? port);
  const runnable = (text: string): string =>
    isFullSuite
      ? text
      : text.replaceAll(/npx --yes pnpm@12(?: --silent)? admin/g, 'node tools/admin/dist/main.js');
  const reader = new Reader(root, { ...process.env, GANGAN_DATA_DIR: system.folder, CI: 'true' });
  try {
    let printed = '';
    for (const { kind, terminal, content } of blocks) {
      if (terminal === 'start' || /^npx --yes pnpm@12 (start|test)$/.test(content.trim())) continue;
      const text = ported(content);
      if (kind === 'text' && terminal === undefined) expect(printed).toMatch(shapeOf(text));
      else if (kind === 'text')
        await until(`${terminal} prints\n${text}\nand not only\n${reader.printedIn(terminal ?? '')}`, () =>
          shapeOf(text).test(reader.printedIn(terminal ?? '')),
        );
      else if (terminal === undefined) printed = await reader.run(runnable(text));
      else {
        const port = ports.get(portOf[terminal] ?? '');
        reader.open(
          terminal,
          `${runnable(text).trim()} ${terminal === 'listen' ? '--port ' : ''}${port ?? ''}`,
        );
        if (port !== undefined) await until(`${terminal} listens`, () => acceptsConnections(Number(port)));
      }
    }
  } finally {
    await reader.close();
  }
}

describe('the commands of', () => {
  const { system, database } = useSharedSystem();
  // README shows the balance of the demo organisation before other pages use it.
  const pages = ['README.md', 'docs/first-ten-minutes.md', 'docs/first-live-message.md'];
  /** The shared system has no other route for all organisations. */
  const removeRoutes = async (): Promise<void> => {
    await database().execute(sql`DELETE FROM route WHERE organisation_id IS NULL`);
    await database().execute(sql`UPDATE provider SET enabled = false WHERE name = 'carrier'`);
  };

  const followAndRestore = async (page: string): Promise<void> => {
    try {
      await follow(system(), page);
    } finally {
      await removeRoutes();
    }
  };

  // A page has up to six commands of `npx`, each of which needs seconds.
  it.each(pages)('%s print what it says', followAndRestore, 600_000);
});

describe('the shape of a printed text', () => {
  it('matches only texts that differ at its gaps', () => {
    expect('{"id":"7","status":"sent"}').toMatch(shapeOf('{"id":"…","status":"sent"}'));
    expect('{"id":"7","status":"failed"}').not.toMatch(shapeOf('{"id":"…","status":"sent"}'));
  });
});
