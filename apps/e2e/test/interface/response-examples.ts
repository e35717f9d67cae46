import { readFileSync, writeFileSync } from 'node:fs';
import { exampleId, exampleTime } from '@gangan/contracts';
import { CallbackConsumer, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { newOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';
import { DocumentedApi, type Operation } from './documented-api.js';
import { examplesOf } from './example.js';
import { exchange } from './exchange.js';
import { assemble, bareParts, type RequestParts } from './request-parts.js';

const file = new URL('../../../../docs/response-examples.json', import.meta.url);
const isRecording = process.env['RECORD_EXAMPLES'] === 'true';

/** Ten thousand naira, in kobo. */
const balance = 1_000_000n;
const atOnce = 4;

/** The operation whose example makes what a path refers to or lists, by the beginning of the path. The first applies. */
const makers: readonly (readonly [path: string, operationId: string])[] = [
  ['/sms/estimate', ''],
  ['/sms/send', ''],
  ['/sms', 'smsSend'],
  ['/balance', 'smsSend'],
  ['/ledger', 'smsSend'],
  ['/simulator/messages', 'smsSend'],
  ['/otp/request_token', ''],
  ['/otp', 'otpRequest'],
  ['/airtime/buy', ''],
  ['/airtime/networks', ''],
  ['/airtime/products', ''],
  ['/airtime', 'airtimeBuy'],
  ['/templates', 'templatesCreate'],
  ['/optouts', 'optOutsAdd'],
  ['/inbox', 'simulatorPlay'],
  ['/lists/contact/columns/', 'contactColumnsAdd'],
  ['/lists/contact/row', 'contactRowsCreate'],
  ['/lists/contact/smartlists', 'smartlistsCreate'],
  ['/lists/contact/imports', 'importsImport'],
  ['/lists/contact/exports', 'exportsCreate'],
  ['/lookup/batch', 'lookupCreateBatch'],
  ['/callback-endpoints', 'endpointsCreate'],
];

/** They list what the tests of other files add to: their lists contain those of the example. */
const shared: ReadonlySet<string> = new Set(['billingPrices']);

/**
 * The responses to the documented requests are the examples of the OpenAPI document. `RECORD_EXAMPLES=true` writes them;
 * `pnpm openapi` copies them to the document.
 */
export function answersLikeItsExamples({ system, database }: RunningSystem): void {
  it('has real responses as examples', async () => {
    const api = await DocumentedApi.of(system());
    const consumer = await CallbackConsumer.start((_, response) => response.end());
    const left = [...api.operations];
    const failures: string[] = [];
    const recorded = new Map(
      isRecording ? [] : Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>),
    );
    const answers = new Map<string, unknown>();
    const worker = async (): Promise<void> => {
      for (let operation = left.shift(); operation; operation = left.shift())
        await record(operation).catch((error: unknown) => failures.push(`${operation.id}: ${String(error)}`));
    };
    const record = async (operation: Operation): Promise<void> => {
      const { key } = await newOrganisation(database(), operation.id, balance, { defaultSender: 'Gangan' });
      const caller = new ExampleCaller(api, system().port, key, consumer.port);
      const { answer, faults } = await caller.answerOf(operation, recorded.get(operation.id));
      if (faults !== undefined) failures.push(`${operation.id}: ${faults}`);
      answers.set(operation.id, answer);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    await consumer.stop();
    expect(failures).toEqual([]);
    const sorted = [...answers].toSorted(([one], [other]) => (one < other ? -1 : 1));
    if (isRecording) writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    else
      expect(Object.fromEntries(sorted)).toEqual(
        Object.fromEntries(
          [...recorded].map(([id, body]) => [id, shared.has(id) ? containing(body as object) : body]),
        ),
      );
  });
}

/** With the members of each list, among others. */
const containing = (body: object): unknown =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Array.isArray(value) ? expect.arrayContaining(value) : (value as unknown),
    ]),
  );

/** Sends the examples of one operation, and of those that make what it needs, for one organisation. */
class ExampleCaller {
  constructor(
    private readonly api: DocumentedApi,
    private readonly port: number,
    private readonly key: string,
    private readonly consumerPort: number,
  ) {}

  /** @param expected what a read is repeated for until it returns it, because records change */
  async answerOf(operation: Operation, expected: unknown) {
    const id = await this.recordFor(operation);
    const parts = await this.exampleOf(operation, id);
    const isFinal = (text: string): boolean =>
      expected === undefined ? isSettled(text) : JSON.stringify(shown(text, id)) === JSON.stringify(expected);
    let text = await this.send(parts);
    if (operation.method === 'GET' && !isFinal(text))
      await until(
        `${operation.id} returns its example`,
        async () => {
          text = await this.send(parts);
          return isFinal(text);
        },
        { timeoutMs: 60_000 },
      ).catch(() => undefined);
    const body: unknown = isCsv(text) ? text : JSON.parse(text);
    return { answer: shown(text, id), faults: operation.faults(200, body) };
  }

  /** Makes what the operation refers to or lists, and returns its id. */
  private async recordFor({ path, id: operationId }: Operation): Promise<string | undefined> {
    if (path.startsWith('/callbacks')) return this.testedCallback();
    const maker = makers.find(([start]) => path.startsWith(start))?.[1] ?? '';
    if (maker === '' || maker === operationId) return undefined;
    const operation = this.operation(maker);
    const isScheduled = /\/(pause|resume|cancel)$/.test(path);
    const made = await this.make(operation, {
      ...(isScheduled && { send_at: new Date(Date.now() + 86_400_000).toISOString() }),
      ...(path === '/otp/verify' && { token: '73519604' }),
    });
    const id = idOf(made);
    if (path.endsWith('/resume')) await this.send(await this.exampleOf(this.operation('smsPause'), id));
    await this.settle(path, id);
    return id;
  }

  private async make(operation: Operation, fields: object): Promise<Answer> {
    const parts = await this.exampleOf(operation);
    const more = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]);
    const body =
      parts.body === undefined || Buffer.isBuffer(parts.body)
        ? parts.body
        : { ...parts.body, ...(Object.fromEntries(more) as Record<string, string>) };
    return JSON.parse(await this.send({ ...parts, body })) as Answer;
  }

  /** A delivered callback. */
  private async testedCallback(): Promise<string> {
    const url = JSON.stringify(`http://127.0.0.1:${this.consumerPort}/callbacks`);
    const endpoint = await this.exampleOf(this.operation('endpointsCreate'));
    const made = JSON.parse(await this.send({ ...endpoint, body: { url } })) as Answer;
    await this.send(await this.exampleOf(this.operation('endpointsTest'), idOf(made)));
    return until('the test callback exists', async () => {
      const list = await this.send(bareParts(this.operation('callbacksList'), this.key));
      const { callbacks } = JSON.parse(list) as {
        readonly callbacks: readonly { id: string; status: string }[];
      };
      return callbacks.find(({ status }) => status === 'delivered')?.id;
    });
  }

  /** Waits until the record does not change any more, as if a person had sent the next request. */
  private async settle(path: string, id: string): Promise<void> {
    const find = this.api.operations.find(
      (each) => each.method === 'GET' && each.path.endsWith('}') && path.startsWith(each.path),
    );
    if (!find) return;
    const parts = await this.exampleOf(find, id);
    await until('the record is settled', async () => isSettled(await this.send(parts)));
  }

  /** Without filters, which would leave nothing of a list. A row has a cell, whose column differs for each organisation. */
  private async exampleOf(operation: Operation, id?: string): Promise<RequestParts> {
    const [example = bareParts(operation, this.key)] = examplesOf(operation, this.api, this.key);
    const { query, body } = example;
    const ofPlace = (place: string) => operation.parameters.filter((each) => each.in === place);
    const required = new Set(ofPlace('query').flatMap(({ name, required: is }) => (is ? [name] : [])));
    const fields = body === undefined || Buffer.isBuffer(body) ? undefined : withId(body, id);
    return {
      ...example,
      params: Object.fromEntries(ofPlace('path').map(({ name }) => [name, id ?? ''])),
      query: query.filter(([name]) => required.has(name)),
      body: fields?.['columns'] === '{}' ? { ...fields, columns: await this.cells() } : (fields ?? body),
    };
  }

  private async cells(): Promise<string> {
    const { columns } = JSON.parse(
      await this.send(bareParts(this.operation('contactRowsTable'), this.key)),
    ) as Table;
    return JSON.stringify({ [columns.find(({ name }) => name === 'Name')?.id ?? '']: 'Ada Okafor' });
  }

  private async send(parts: RequestParts): Promise<string> {
    const answer = await exchange(this.port, assemble(parts));
    if (answer?.status !== 200) throw new Error(`${parts.method} ${parts.path} returned ${answer?.text}`);
    return answer.text;
  }

  private operation(id: string): Operation {
    const operation = this.api.operations.find((each) => each.id === id);
    if (!operation) throw new Error(`There is no operation ${id}`);
    return operation;
  }
}

type Answer = Readonly<Record<string, unknown>>;

interface Table {
  readonly columns: readonly { readonly id: string; readonly name: string }[];
}

const withId = (fields: Readonly<Record<string, string>>, id = exampleId): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.replaceAll(exampleId, id)]));

/** Whether workers will not change it any more. A message that waits for its time is not changed either. */
const isSettled = (text: string): boolean =>
  !/"(queued|sent|pending|processing|running)"/.test(text) || /"(scheduled|paused)"/.test(text);

const isCsv = (text: string): boolean => !/^[{[]/.test(text);

/** The id of a new record, whatever the response contains besides. */
function idOf(made: Answer): string {
  const { id, row, columns } = made as { id?: string; row?: { id: string }; columns?: Table['columns'] };
  return columns?.at(-1)?.id ?? row?.id ?? id ?? '';
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00/g;

/** The answer with the values of the document in place of those that differ each time. */
function shown(text: string, id?: string): unknown {
  const ids = [...new Set([...(id === undefined ? [] : [id]), ...(text.match(uuid) ?? [])])].filter(
    (id) => !id.startsWith('01900000-0000-'),
  );
  const base = Math.min(...(text.match(time) ?? []).map((each) => Date.parse(each)));
  const common = text
    .replaceAll(uuid, (id) => (ids.includes(id) ? nthId(ids.indexOf(id)) : id))
    .replaceAll(time, (each) => timeAfter(Math.round((Date.parse(each) - base) / 60_000)))
    .replaceAll(
      /http:\/\/127\.0\.0\.1:\d+\/callbacks|https:\/\/gangan\.invalid\//g,
      'https://app.example/callbacks',
    )
    .replaceAll(/http:\/\/(localhost|127\.0\.0\.1):\d+/g, 'http://localhost:3000')
    .replaceAll(/\/l\/[\w-]{22}/g, '/l/Jq0b6hWZ6r0T3T3lqk4bGw')
    // A worker may begin a job before the response to its request.
    .replaceAll('"state":"running"', '"state":"queued"')
    // The port of the system is in the text.
    .replaceAll(/"message_length":6[5-9]/g, '"message_length":67')
    .replaceAll(/whsec_[\w+/=]+/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw8vHqVh2nQ0c=');
  return isCsv(common) ? common : (JSON.parse(common) as unknown);
}

const nthId = (index: number): string => exampleId.slice(0, -2) + (0x42 + index).toString(16);

/** The example time, and minutes later: an expiry remains one. */
const timeAfter = (minutes: number): string =>
  new Date(Date.parse(exampleTime) + minutes * 60_000).toISOString().replace('Z', '000+00:00');
