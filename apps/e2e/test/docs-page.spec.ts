import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isFullSuite, uniqueName, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page, type Response } from 'playwright-core';
import { DocumentedApi, type Operation } from './interface/documented-api.js';
import { examplesOf, type KnownIds } from './interface/example.js';
import { needsId } from './interface/id-inputs.js';
import { ownOrganisation } from './support/new-organisation.js';
import { useSharedSystem } from './support/shared-system.js';
import { type Ask, columnIds, examplesIds, made, type Seed, seedOf } from './tenants/seeds.js';

/** Debian's package. */
const executablePath = '/usr/bin/chromium';
/** At every start Chromium looks up hosts of its maker; only this machine may be contacted. */
const args = ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1'];
const hasBrowser = existsSync(executablePath);
const withBrowser = hasBrowser ? describe : describe.skip;
if (!hasBrowser)
  process.stderr.write(`\n  !!  SKIPPED: the docs page in a browser needs ${executablePath}  !!\n\n`);

const timeoutMs = 120_000;
/** Widths of the window in pixels. */
const [wide, narrow] = [1_280, 390];
/** The most used operations: all of them take a quarter of an hour. */
const named = new Set(['POST /sms/send', 'GET /sms/{id}']);

/** Operations that are opened and reloaded, but cannot be tried on the page, and the reason. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['GET /l/{code}', 'it leads to another site, which the page may not call'],
]);

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

/** Records in a state that the operation changes; the others need only to exist. */
const seedFor = (operation: Operation): Seed => stateSeeds[nameOf(operation)] ?? seedOf(operation.path);

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

const scheduled: Seed = (ask) =>
  made(ask, '/sms/send', { recipients: '07000000001', content: 'Hello', send_at: tomorrow() });

const stateSeeds: Readonly<Record<string, Seed>> = {
  'POST /sms/{id}/pause': scheduled,
  'POST /sms/{id}/cancel': scheduled,
  'POST /sms/{id}/resume': async (ask, database) => {
    const id = await scheduled(ask, database);
    await made(ask, `/sms/${id}/pause`, {});
    return id;
  },
};

/** Whether the response is that of the operation, rather than of a file of the page. */
function isAnswerTo({ method, path }: Operation, response: Response): boolean {
  const expected = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  return response.request().method() === method && expected.test(new URL(response.url()).pathname);
}

withBrowser('the docs page in a browser', () => {
  const running = useSharedSystem();
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Docs page');
  let browser: Browser;
  let api: DocumentedApi;
  let exampleIds: KnownIds;
  let column: string;
  const ask: Ask = (question) => system().request({ ...question, key: key() });
  beforeAll(async () => {
    api = await DocumentedApi.of(system());
    exampleIds = await examplesIds(ask, database());
    column = (await columnIds(ask)).name;
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(() => browser.close());

  it.each(isFullSuite ? [wide, narrow] : [wide])(
    `opens and tries ${isFullSuite ? 'every operation' : 'the most used operations'} at %s px`,
    async (width) => {
      const operations = everyOperation().filter((operation) => isFullSuite || named.has(nameOf(operation)));
      const failures: string[] = [];
      const worker = async (): Promise<void> => {
        const page = await browser.newPage({ viewport: { width, height: 900 } });
        page.setDefaultTimeout(timeoutMs);
        page.on('pageerror', ({ message }) => failures.push(message));
        let reloads = true;
        for (let operation = operations.shift(); operation; operation = operations.shift()) {
          const answer = await tryOut(page, operation, reloads).catch((error: unknown) =>
            String(error).slice(0, 300),
          );
          // A load of the page takes seconds.
          reloads = isFullSuite;
          if (isFullSuite) process.stderr.write(`  ${width} px: ${nameOf(operation)}: ${answer}\n`);
          if (answer !== 200) failures.push(`${nameOf(operation)}: ${answer}`);
        }
        await page.close();
      };
      await Promise.all(Array.from({ length: isFullSuite ? availableParallelism() : 1 }, worker));
      expect(failures).toEqual([]);
    },
    isFullSuite ? 60 * 60_000 : 10 * 60_000,
  );

  it.each([wide, narrow])('has guides with a search and examples to copy, at %s px', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    await page.goto(`${system().url}/docs/guides`);
    await page.getByRole('searchbox').fill('quiet hours');
    await page.getByRole('link', { name: 'Messages › Quiet hours' }).click();
    await until('the section is open', async () =>
      Promise.resolve(page.url().endsWith('/docs/guides/sms#quiet-hours')),
    );
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(failures).toEqual([]);
    await page.close();
  });

  it('has samples in curl, TypeScript, Python and PHP, warns of a live key and shows the response', async () => {
    const page = await browser.newPage({ viewport: { width: narrow, height: 900 } });
    page.setDefaultTimeout(timeoutMs);
    await page.goto(`${system().url}/docs#tag/messages/POST/sms/send`);
    const section = page.locator('section[id$="/POST/sms/send"]');
    await section.getByRole('button', { name: 'Shell Curl' }).click();
    const languages = await page.getByRole('option').allInnerTexts();
    expect(languages.toSorted()).toEqual(['Curl', 'Requests', 'TypeScript', 'cURL']);
    await page.getByRole('option', { name: 'TypeScript' }).click();
    const sample = section.locator('pre', { hasText: '@gangan/sdk' });
    expect(await sample.innerText()).toContain(`baseUrl: '${system().url}'`);
    for (const tab of await section.getByRole('tab').all()) expect(await isInside(page, tab)).toBe(true);

    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    const input = dialog.locator('input[id^="scalar-client"]').first();
    expect(await input.getAttribute('placeholder')).toBe('sk_test_…');
    const warning = page.getByText('This key is live');
    const warns = (state: 'visible' | 'hidden') => warning.waitFor({ state });
    await input.fill('sk_live_abc');
    await warns('visible');
    await dialog.getByRole('button', { name: 'Show Password' }).click();
    await dialog.getByText('sk_live_abc').waitFor();
    await warns('visible');
    await dialog.getByRole('button', { name: 'Hide Password' }).click();
    await dialog.getByRole('button', { name: 'Clear Value' }).last().click();
    await warns('hidden');
    await input.fill(key());
    await dialog.getByRole('button', { name: /^Send/ }).first().click();
    const status = dialog.getByText('200 OK');
    await until('the response is in view', async () => ((await status.boundingBox())?.y ?? Infinity) < 300);
    await page.close();
  });

  const everyOperation = (): readonly Operation[] => [...api.operations, ...api.redirects];

  /** @returns the status of a success, or what is wrong */
  async function tryOut(page: Page, operation: Operation, reloads: boolean): Promise<number | string> {
    const { method, path } = operation;
    const section = page.locator(`section[id$="/${method}${path}"]`);
    const test = section.getByRole('button', { name: /Test Request/ });
    await page.goto(`${system().url}/docs#tag/${operation.tag.toLowerCase()}/${method}${path}`);
    // A page that is reloaded before it is ready may have written another address.
    await test.first().waitFor();
    if (reloads) await page.reload();
    await test.first().waitFor();
    if (exceptions.has(nameOf(operation))) return 200;
    await test.first().click();
    const dialog = page.getByRole('dialog');
    if (!operation.isPublic) await dialog.locator('input[id^="scalar-client"]').first().fill(key());
    await fillIn(page, dialog, operation);
    const answered = page.waitForResponse((response) => isAnswerTo(operation, response));
    const send = dialog.getByRole('button', { name: /^Send/ }).first();
    // A click would scroll to a button that a person cannot reach.
    if (!(await isInside(page, send))) return 'the button Send is outside of the window';
    await send.click();
    const response = await answered;
    await page.keyboard.press('Escape');
    return response.status() < 400 ? response.status() : `${response.status()} ${await response.text()}`;
  }

  async function isInside(page: Page, locator: Locator): Promise<boolean> {
    const box = await locator.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= (page.viewportSize()?.width ?? 0);
  }

  /** Ids of records are the only values that a person must enter: they come from an earlier request. */
  async function fillIn(page: Page, dialog: Locator, operation: Operation): Promise<void> {
    const names = operation.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
    const id = needsId(operation, api) ? await seedFor(operation)(ask, database()) : '';
    for (const name of names) {
      const row = dialog.getByLabel(`Include ${name} in request`).locator('xpath=ancestor::tr');
      await row.locator('[contenteditable=true]').last().click();
      await page.keyboard.insertText(id);
    }
    const body = bodyWithIds(operation, names.length === 0 ? id : undefined);
    if (body === undefined) return;
    await dialog.locator('.cm-content').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(body);
  }

  /** The example of the body with the ids of existing records; undefined if the page's own can be sent as it is. */
  function bodyWithIds(operation: Operation, id: string | undefined): string | undefined {
    const ids = { ...exampleIds, ...(id !== undefined && { id }) };
    const [example] = examplesOf(operation, api, key(), ids);
    if (!example?.body || Buffer.isBuffer(example.body)) return undefined;
    const fields = example.body;
    const replaced: Readonly<Record<string, string>> = {
      columns: `{"${column}": "Ada"}`,
      // Names are unique in an organisation.
      name: JSON.stringify(uniqueName()),
    };
    if (!Object.keys(fields).some((name) => name in ids || name in replaced)) return undefined;
    const text = Object.entries(fields).map(
      ([name, value]) => `${JSON.stringify(name)}: ${replaced[name] ?? value}`,
    );
    return `{${text.join(', ')}}`;
  }
});
