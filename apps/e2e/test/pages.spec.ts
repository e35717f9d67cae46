import { fileURLToPath } from 'node:url';
import { sql } from '@gangan/database';
import {
  acceptsConnections,
  freePort,
  isFullSuite,
  type ReachableSystem,
  TestSystem,
  until,
} from '@gangan/testing';
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

// README shows the balance of the demo organisation before other pages use it.
const pages = ['README.md', 'docs/use/first-ten-minutes.md', 'docs/operate/first-live-message.md'];
// A page has up to six commands of `npx`, each of which needs seconds.
const timeoutMs = 600_000;

/** In the full suite each page has a system of its own, started as the page says. */
async function followOnOwnSystem(page: string): Promise<void> {
  const start = blocksOf(page).find(({ terminal }) => terminal === 'start')?.content ?? '';
  const system = await TestSystem.open(
    start.includes('SIMULATE_LIVE=false') ? { SIMULATE_LIVE: 'false' } : {},
  );
  try {
    await system.start();
    await follow(system, page);
  } finally {
    await system.close();
  }
}

describe('the commands of', () => {
  if (isFullSuite) {
    it.each(pages)('%s print the documented output', followOnOwnSystem, timeoutMs);
    return;
  }
  const { system, database } = useSharedSystem();
  const followOnSharedSystem = async (page: string): Promise<void> => {
    try {
      await follow(system(), page);
    } finally {
      // Routes and providers of all organisations concern the tests of other files.
      await database().execute(sql`
        DELETE FROM route WHERE organisation_id IS NULL AND id IN (
          SELECT route_id FROM route_target JOIN provider ON provider.id = provider_id WHERE name = 'carrier'
        )`);
      await database().execute(sql`UPDATE provider SET enabled = false WHERE name = 'carrier'`);
    }
  };
  it.each(pages)('%s print the documented output', followOnSharedSystem, timeoutMs);
});

describe('the page at the address of a system', () => {
  if (isFullSuite) return;
  const { system } = useSharedSystem();

  it('shows the demo key and a command that works', async () => {
    const page = await fetch(system().url, { headers: { accept: 'text/html' } });
    const [, command = ''] = /<pre><code>(.*?)<\/code>/.exec(await page.text()) ?? [];
    expect(command).toContain('sk_test_demo');
    expect(command).toContain(system().url);
    const reader = new Reader(root, process.env);
    expect(await reader.run(command.replaceAll('&quot;', '"'))).toContain('"country":"NG"');
    await reader.close();
  });
});

describe('the shape of a printed text', () => {
  it('matches only texts that differ at its gaps', () => {
    expect('{"id":"7","status":"sent"}').toMatch(shapeOf('{"id":"…","status":"sent"}'));
    expect('{"id":"7","status":"failed"}').not.toMatch(shapeOf('{"id":"…","status":"sent"}'));
  });
});
