import { readFileSync } from 'node:fs';
import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { linesOfRequest } from '../support/lines-of-request.js';
import { newOrganisation, ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

/** The rows of the table in docs/use/errors.md: what is sent, and the documented response. */
function documentedMistakes() {
  const page = readFileSync(new URL('../../../../docs/use/errors.md', import.meta.url), 'utf8');
  const row =
    /^\| `(?<sent>(?:\{|Authorization).*?)` +\| (?<status>\d+)(?: `(?<type>\w+)`)?: `(?<message>.*)` +\|$/gm;
  return [...page.matchAll(row)].map(({ groups = {} }) => groups);
}

export function explainsMistakes(running: RunningSystem): void {
  const { system, database } = running;
  const { key } = ownOrganisation(running, 'Mistakes');
  const send = (body: object, as = key(), path = '/sms/send') =>
    system().request({ method: 'POST', path, key: as, body });

  const mistakes = documentedMistakes();
  it.each(mistakes)('gets the documented response: $sent', async ({ sent = '', status, type, message }) => {
    expect(mistakes).toHaveLength(5);
    const [, header] = /^Authorization: (.*)$/.exec(sent) ?? [];
    const body = header === undefined ? (JSON.parse(sent) as object) : {};
    const answer = await send(body, header);
    expect(answer).toMatchObject({
      status: Number(status),
      body: type === undefined ? { message, errors: [] } : { errors: [{ type, message }] },
    });
    const estimate = await send(body, header, '/sms/estimate');
    expect([estimate.status, estimate.body]).toEqual([answer.status, answer.body]);
  });

  it('names a bad number to its caller, but not in the log', async () => {
    // Of many refused requests with one key only the first are logged.
    const { key: as } = await newOrganisation(database(), 'Bad number');
    const answer = await send({ recipients: '4155552671', content: 'Hello' }, as);
    expect(JSON.stringify(answer.body)).toContain('4155552671');
    const id = String(answer.headers['x-request-id']);
    const lines = await until('it is logged', async () => {
      const found = await linesOfRequest(system(), id);
      return found.some((line) => line.includes('invalid_request')) && found;
    });
    expect(lines.join('\n')).not.toContain('4155552671');
  });

  it('notes an unknown template, which only a test organisation may use', async () => {
    const recipients = '08031234567';
    for (const path of ['/sms/send', '/sms/estimate']) {
      const { status, headers } = await send({ recipients, template_id: 'welcome' }, key(), path);
      expect([status, headers['x-unknown-template']]).toEqual([
        200,
        'accepted in test mode only; a live organisation gets 400',
      ]);
    }
    const template = { name: 'Welcome', body: 'Welcome!' };
    const { id } = (await send(template, key(), '/templates')).body as { id: string };
    const { status, headers } = await send({ recipients, template_id: id });
    expect([status, headers['x-unknown-template']]).toEqual([200, undefined]);
  });

  it('suggests the path for a misspelt one that looks like an id', async () => {
    const find = async (path: string) => (await system().request({ path, key: key() })).body;
    expect(await find('/sms/sent')).toMatchObject({
      status: 404,
      message: 'The message was not found; did you mean POST /sms/send?',
    });
    const unknown = await find('/sms/019a86f0-5b1c-7c3e-9d62-3f0a7be1c402');
    expect(await find('/sms/malformed')).toEqual(unknown);
  });
}
