import { existsSync } from 'node:fs';
import type { Database } from '@gangan/database';
import { TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { databaseOf } from './database-of.js';
import { DocumentedApi, type Operation } from './interface/documented-api.js';
import { examplesOf } from './interface/example.js';
import { needsId } from './interface/id-inputs.js';
import { type Ask, columnIds, examplesIds, seedOf } from './tenants/seeds.js';

const key = 'sk_test_demo';
/** Debian's package. */
const executablePath = '/usr/bin/chromium';
const hasBrowser = existsSync(executablePath);
const withBrowser = hasBrowser ? describe : describe.skip;
if (!hasBrowser)
  process.stderr.write(`\n  !!  SKIPPED: the docs page in a browser needs ${executablePath}  !!\n\n`);

withBrowser('the docs page in a browser', () => {
  let system: TestSystem;
  let database: Database;
  let browser: Browser;
  let api: DocumentedApi;
  const ask: Ask = (question) => system.request({ ...question, key });
  beforeAll(async () => {
    system = await TestSystem.open({ LOG_LEVEL: 'warn', RATE_LIMIT_PER_SECOND: '0' });
    await system.start();
    database = await databaseOf(system);
    api = await DocumentedApi.of(system);
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    await database.close();
    await system.close();
  });

  it.each([1_280, 390])('opens, reloads and tries operations of every section at %s px', async (width) => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(`${system.url}/docs`);
    const failures: string[] = [];
    for (const operation of tried(api.operations)) {
      const answer = await tryOut(page, operation).catch((error: unknown) => String(error).split('\n')[0]);
      if (answer !== 200) failures.push(`${operation.method} ${operation.path}: ${answer}`);
    }
    await page.close();
    expect([failures, errors]).toEqual([[], []]);
  });

  /** @returns 200, or what is wrong */
  async function tryOut(page: Page, operation: Operation): Promise<number | string> {
    const { method, path } = operation;
    const url = `${system.url}/docs#tag/${operation.tag.toLowerCase()}/${method}${path}`;
    await page.goto(url);
    await page.reload();
    const section = page.locator(`section[id$="/${method}${path}"]`);
    await section
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    if (!operation.isPublic) await dialog.locator('input[id^="scalar-client"]').first().fill(key);
    await fillIn(page, dialog, operation);
    const answered = page.waitForResponse(
      (response) =>
        response.request().method() === method && new URL(response.url()).pathname !== '/openapi.json',
    );
    await dialog.getByRole('button', { name: /^Send/ }).first().click();
    const response = await answered;
    return response.status() === 200 ? 200 : `${response.status()} ${await response.text()}`;
  }

  /** Ids of records are the only values that a person must enter: they come from an earlier request. */
  async function fillIn(page: Page, dialog: Locator, operation: Operation): Promise<void> {
    const names = operation.parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
    const id = needsId(operation, api) ? await seedOf(operation.path)(ask, database) : '';
    for (const name of names) {
      const row = dialog.getByLabel(`Include ${name} in request`).locator('xpath=ancestor::tr');
      await row.locator('[contenteditable=true]').last().click();
      await page.keyboard.insertText(id);
    }
    const body = await bodyWithIds(operation, names.length === 0 ? id : undefined);
    if (body === undefined) return;
    await dialog.locator('.cm-content').first().click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(body);
  }

  /** The example of the body with the ids of existing records; undefined if the page's own can be sent as it is. */
  async function bodyWithIds(operation: Operation, id: string | undefined): Promise<string | undefined> {
    const ids = { ...(await examplesIds(ask, database)), ...(id !== undefined && { id }) };
    const [example] = examplesOf(operation, api, key, ids);
    if (!example?.body || Buffer.isBuffer(example.body)) return undefined;
    const fields = example.body;
    const columns = await columnIds(ask);
    if (!Object.keys(fields).some((name) => name in ids || name === 'columns')) return undefined;
    const text = Object.entries(fields).map(([name, value]) =>
      name === 'columns' ? `"columns": {"${columns.name}": "Ada"}` : `${JSON.stringify(name)}: ${value}`,
    );
    return `{${text.join(', ')}}`;
  }
});

/** All operations would take many minutes. */
function tried(operations: readonly Operation[]): Operation[] {
  const named = ['POST /sms/send', 'GET /sms/{id}', 'POST /otp/verify', 'GET /lookup/phone'];
  const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
  const firsts = lists.filter(({ tag }, index) => lists.findIndex((each) => each.tag === tag) === index);
  return [...firsts, ...operations.filter(({ method, path }) => named.includes(`${method} ${path}`))];
}
