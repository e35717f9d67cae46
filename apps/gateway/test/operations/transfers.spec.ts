import { type ClientRequest, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type FilePart,
  type FilePartId,
  type ContactImport,
  contactUploadAbandoned,
  importContactsPart,
  type ImportContactsPart,
  readContactExportPart,
  readRejectedPart,
  type RecordEvent,
} from '@gangan/contracts';
import { AppError, invalidRequest, notFound, type RequestContext, unavailable } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { isFullSuite, until } from '@gangan/testing';
import { Controller } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

/** Of the gateway with short timeouts. */
const idleTimeoutMs = 1_500;
const arrived = new Map<string, ImportContactsPart[]>();
const abandoned: string[] = [];
const readParts: number[] = [];
let troubles = 0;

/** Replaces the contacts worker. */
@Controller()
class ContactsDouble {
  @Handles(importContactsPart)
  part(part: ImportContactsPart, { operationId: id }: RequestContext): ContactImport {
    if (part.begins === 0 && part.text.startsWith('Nome')) {
      throw invalidRequest([{ field: 'header.0', message: 'no such column', type: 'value_error' }]);
    }
    if (troubles > 0) {
      troubles -= 1;
      throw unavailable();
    }
    arrived.set(id, [...(arrived.get(id) ?? []), part]);
    const counts = { bytes: 0, percent: 0, lines: 0, created: 0, updated: 0, rejected: 0 };
    return { id, state: 'queued', columns: [], ...counts, problems: [], created_datetime: 'now' };
  }

  @Handles(contactUploadAbandoned)
  broken({ id }: RecordEvent, { operationId }: RequestContext): void {
    abandoned.push(id === operationId ? id : `${id} in ${operationId}`);
  }

  @Handles(readRejectedPart)
  rejected(request: FilePartId): FilePart {
    return this.read(request);
  }

  @Handles(readContactExportPart)
  read({ id, number }: FilePartId): FilePart {
    if (id === 'running') throw new AppError('not_done', 409, 'The export is not done');
    if (id === 'broken' && number === 2) throw new AppError('gone', 500, 'gone');
    if (id !== 'mine' && id !== 'broken') throw notFound('The export');
    readParts.push(number);
    return { text: `é${number},`.repeat(5_000), parts: 4, bytes: 4 * 5_000 * 4 };
  }
}

describe('files at the gateway', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let impatient: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(ContactsDouble);
    gateway = await fixture.gateway();
    impatient = await fixture.gateway({ requestTimeoutMs: idleTimeoutMs, uploadRateIntervalMs: 1_000 });
    ({ key } = await fixture.issueKey({ scopes: ['contacts:read', 'contacts:write'] }));
  });
  afterAll(() => fixture.stop());

  const path = '/lists/contact/imports';
  const send = (body: string | Buffer, type = 'text/csv', more: [string, string][] = [], to = path) =>
    gateway.call({
      method: 'POST',
      path: to,
      headers: [['authorization', key], ...(type === '' ? [] : ([['content-type', type]] as const)), ...more],
      body,
    });
  const partsOf = ({ json }: Answer) => arrived.get((json as ContactImport).id) ?? [];

  /** A request whose body the test writes in pieces. */
  const open = (
    more: Record<string, string> = {},
    to = gateway,
  ): { request: ClientRequest; answer: Promise<{ status: number; text: string }> } => {
    const request = httpRequest({
      port: to.port,
      host: '127.0.0.1',
      method: 'POST',
      path,
      headers: { authorization: key, 'content-type': 'text/csv', ...more },
      agent: false,
    });
    const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
      request.on('error', reject);
      request.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      });
    });
    return { request, answer };
  };

  describe('an import', () => {
    it('is forwarded to the worker in parts, with its options', async () => {
      const text = `\uFEFFName\n${'Adé漢🙂\n'.repeat(80_000)}`;
      const answer = await send(text, 'text/csv; charset=UTF-8', [], `${path}?upsert=Name&delimiter=%3B`);
      expect([answer.status, (answer.json as ContactImport).state]).toEqual([200, 'queued']);
      const parts = partsOf(answer);
      expect(parts.map((part) => part.text).join('')).toBe(text);
      expect(parts.length).toBe(Math.floor(Buffer.byteLength(text) / 262_144) + 1);
      expect(parts.map(({ last }) => last)).toEqual([...parts.slice(1).map(() => false), true]);
      expect(parts.map(({ upsert, delimiter }) => [upsert, delimiter])).toEqual(
        parts.map(() => ['Name', ';']),
      );
      let at = 0;
      for (const part of parts) {
        expect(part.begins).toBe(at);
        at += Buffer.byteLength(part.text);
      }
    });

    it('is cut at the same positions, however it arrives', async () => {
      const bytes = Buffer.from(`Name\n${'é'.repeat(200_000)}`);
      const { request, answer } = open();
      for (let at = 0; at < bytes.length; at += 7_777) request.write(bytes.subarray(at, at + 7_777));
      request.end();
      const { id } = JSON.parse((await answer).text) as ContactImport;
      expect(arrived.get(id)).toEqual(partsOf(await send(bytes)));
    });

    it('may take longer than other requests while bytes arrive, and times out otherwise', async () => {
      const [steady, stuck] = [open({}, impatient), open({}, impatient)];
      stuck.request.write('Name\nA');
      const endsAt = Date.now() + idleTimeoutMs + 700;
      steady.request.write('Name\n');
      while (Date.now() < endsAt) {
        steady.request.write('Ada\n');
        await pause(100);
      }
      steady.request.end();
      expect((await steady.answer).status).toBe(200);
      expect((await stuck.answer).status).toBe(408);
    });

    it('that breaks off has no last part, and is reported to the worker as abandoned', async () => {
      const [before, { request, answer }] = [arrived.size, open({ 'idempotency-key': 'broken' })];
      request.write(`Name\n${'x'.repeat(300_000)}`);
      await until('the upload arrives', () => arrived.size > before);
      request.destroy();
      await expect(answer).rejects.toThrow('hang up');
      const [id, parts] = [...arrived].at(-1) ?? ['', []];
      expect(parts.map(({ last }) => last)).toEqual([false]);
      await until('the upload is abandoned', () => abandoned.includes(id));
      const claims = { where: { key: 'broken' } };
      await until(
        'all claims are deleted',
        async () => (await fixture.database.idempotencyClaim.count(claims)) === 0,
      );
    });

    it.each(['TEXT/CSV', 'text/csv;', 'text/csv ; charset="utf-8"', 'text/csv;header=present; charset=UTF8'])(
      'may come as %s',
      async (type) => {
        expect(partsOf(await send('Name\nAda\n', type))).toHaveLength(1);
      },
    );

    it('is retried while the worker is unavailable', async () => {
      troubles = 2;
      expect(partsOf(await send('Name\nAda\n'))).toHaveLength(1);
      expect(troubles).toBe(0);
    });

    it.each<[what: string, body: string | Buffer, type: string, headers: [string, string][], status: number]>(
      [
        ['JSON', '{}', 'application/json', [], 415],
        ['no type', 'Name\n', '', [], 415],
        ['another charset', 'Name\n', 'text/csv; charset=latin1', [], 415],
        ['a compressed file', 'Name\n', 'text/csv', [['content-encoding', 'gzip']], 415],
        ['too large a file', 'x'.repeat(2_000_001), 'text/csv', [], 413],
      ],
    )('is refused as %s', async (_, body, type, headers, status) => {
      expectError(await send(body, type, headers), status);
    });

    it.each([
      ['UTF-16', Buffer.from('Name\nAdé\n', 'utf16le')],
      ['half a character at its end', Buffer.from('Name\nAdé').subarray(0, 8)],
      ['U+0000', Buffer.from('Name\nA\0\n')],
    ])('is rejected with %s', async (_, body) => {
      expect(expectError(await send(body), 400)).toEqual(['body value_error']);
    });

    it('returns the error of the worker', async () => {
      expect(expectError(await send('Nome\nAda\n'), 400)).toEqual(['header.0 value_error']);
    });

    it('is rejected when it exceeds the maximum size', async () => {
      const { request, answer } = open();
      request.on('error', () => undefined);
      for (let sent = 0; sent <= 2_000_000; sent += 100_000) request.write('x'.repeat(100_000));
      expect((await answer).status).toBe(413);
    });

    it('is not accepted by other routes', async () => {
      expectError(await send('Name\n', 'text/csv', [], '/lists/contact/rows'), 415);
    });

    it('requires the write scope', async () => {
      const reader = await fixture.issueKey({ scopes: ['contacts:read'] });
      const headers: [string, string][] = [['content-type', 'text/csv']];
      const call = {
        method: 'POST',
        path,
        body: 'Name\n',
        headers: [['authorization', reader.key] as const, ...headers],
      };
      expectError(await gateway.call(call), 403);
    });

    it('runs once with an Idempotency-Key, which is valid for one file', async () => {
      const once: [string, string][] = [['idempotency-key', 'once']];
      const first = await send('Name\nAda\n', 'text/csv', once);
      const again = await send('Name\nAda\n', 'text/csv', once);
      expect(again.text).toBe(first.text);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(partsOf(first)).toHaveLength(1);
      expectError(await send('Name\nAda and others\n', 'text/csv', once), 422);
      expectError(await send('Name\nEve\n', 'text/csv', once), 422);
    });

    it('that arrives too slowly is ended, although bytes arrive all the time', async () => {
      const { request, answer } = open({}, impatient);
      request.on('error', () => undefined);
      const drip = setInterval(() => request.write('x'), 300);
      try {
        expect((await answer).status).toBe(408);
      } finally {
        clearInterval(drip);
        request.destroy();
      }
    });

    it('is refused while the organisation has too many uploads in progress', async () => {
      const uploads = Array.from({ length: 6 }, () => open());
      const statuses = uploads.map(({ request, answer }) => {
        request.on('error', () => undefined);
        request.write('Name\nAda\n');
        return answer.then(({ status }) => status);
      });
      expect(await Promise.race(statuses)).toBe(429);
      for (const { request } of uploads) request.end();
      const answers = await Promise.all(statuses);
      expect(answers.filter((status) => status === 200)).toHaveLength(4);
      expect(answers.filter((status) => status === 429)).toHaveLength(2);
      expect((await send('Name\nAda\n')).status).toBe(200);
    });

    // Its lease is renewed after several seconds.
    if (isFullSuite)
      it('holds its Idempotency-Key for as long as the upload takes', async () => {
        const leasedUntil = async () =>
          (
            await fixture.database.idempotencyClaim.findFirst({ where: { key: 'slow' } })
          )?.leasedUntil.getTime() ?? 0;
        const { request, answer } = open({ 'idempotency-key': 'slow' });
        request.write('Name\n');
        await until('the claim has a lease', async () => (await leasedUntil()) > 0);
        const first = await leasedUntil();
        expect(first - Date.now()).toBeLessThanOrEqual(importContactsPart.deadlineMs + 10_000);
        await until('the lease is renewed', async () => {
          request.write('Ada\n');
          return (await leasedUntil()) > first;
        });
        request.end();
        expect((await answer).status).toBe(200);
        expect(await leasedUntil()).toBeLessThanOrEqual(Date.now());
      });
  });

  describe('an export', () => {
    const get = (id: string, method = 'GET', query = '') =>
      gateway.call({
        method,
        path: `/lists/contact/exports/${id}/file${query}`,
        headers: [['authorization', key]],
      });

    it('is downloaded as a file', async () => {
      const { status, headers, text } = await get('mine');
      expect(status).toBe(200);
      expect(text).toBe([0, 1, 2, 3].map((number) => `é${number},`.repeat(5_000)).join(''));
      expect(headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': 'attachment; filename="contacts.csv"',
        'content-length': String(Buffer.byteLength(text)),
        'cache-control': 'no-store',
      });
    });

    it('starts with a byte order mark on request, as a file of rejected lines does', async () => {
      const plain = await get('mine');
      for (const path of ['/lists/contact/exports/mine/file', '/lists/contact/imports/mine/rejected']) {
        const fetched = await fetch(`http://127.0.0.1:${gateway.port}${path}?bom=true`, {
          headers: { authorization: key, 'accept-encoding': 'identity' },
        });
        const bytes = Buffer.from(await fetched.arrayBuffer());
        expect(bytes.toString()).toBe(`\uFEFF${plain.text}`);
        expect(fetched.headers.get('content-length')).toBe(String(bytes.length));
      }
      expect((await get('mine', 'GET', '?bom=false')).text).toBe(plain.text);
      expectError(await get('mine', 'GET', '?bom=yes'), 400);
    });

    it('is not read for HEAD', async () => {
      readParts.length = 0;
      const { status, headers, text } = await get('mine', 'HEAD');
      expect([status, text, headers['content-length']]).toEqual([200, '', '80000']);
      expect(readParts).toEqual([0]);
    });

    it('responds 404 if it does not exist, and 409 if it is not done', async () => {
      expectError(await get('theirs'), 404);
      expectError(await get('running'), 409);
    });

    it('ends early if a part cannot be read', async () => {
      const cut = new Promise((resolve, reject) => {
        httpRequest(
          {
            port: gateway.port,
            path: '/lists/contact/exports/broken/file',
            headers: { authorization: key },
            agent: false,
          },
          (response) => {
            response.on('error', reject).on('end', resolve).resume();
          },
        )
          .on('error', reject)
          .end();
      });
      await expect(cut).rejects.toThrow('aborted');
      expectError(await get('running'), 409);
    });
  });
});
