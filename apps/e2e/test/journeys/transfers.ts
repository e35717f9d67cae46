import { type TestRequest, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

const people = Array.from({ length: 2_500 }, (_, place) => `Person ${place},person${place}@transfer.example`);

interface Job {
  readonly id: string;
  readonly state: string;
}

export function importsAndExports(running: RunningSystem): void {
  const { system } = running;
  const { key } = ownOrganisation(running, 'Transfers');
  const ask = async (question: Omit<TestRequest, 'key'>): Promise<object> => {
    const { status, body } = await system().request({ ...question, key: key() });
    expect([status, body]).toEqual([200, body]);
    return body as object;
  };
  /** Waits until it has ended. */
  const ended = async (what: 'imports' | 'exports', { id }: Job): Promise<object> => {
    let job: object = {};
    await until('the job ends', async () => {
      job = await ask({ path: `/lists/contact/${what}/${id}` });
      return ['done', 'failed'].includes((job as Job).state);
    });
    return job;
  };
  /** The exact text, with its byte order mark if there is one. */
  const download = async (path: string): Promise<string> => {
    const fetched = await fetch(`${system().url}${path}`, { headers: { authorization: key() } });
    expect([fetched.status, fetched.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/csv'),
    ]);
    return Buffer.from(await fetched.arrayBuffer()).toString();
  };
  const upload = async (text: string, query = ''): Promise<Job> => {
    const path = `/lists/contact/imports${query}`;
    const headers = { 'content-type': 'text/csv' };
    const job = (await ask({ method: 'POST', path, headers, text })) as Job;
    expect(['queued', 'running']).toContain(job.state);
    return job;
  };

  it('imports a file of contacts and exports the same rows', async () => {
    const file = `\uFEFFname;email\r\n${people.join('\r\n').replaceAll(',', ';')}\r\n`;
    const job = await upload(file, '?delimiter=%3B');
    expect(await ended('imports', job)).toMatchObject({
      state: 'done',
      percent: 100,
      lines: people.length,
      created: people.length,
      rejected: 0,
    });
    const again = await upload('Email,Name\nPERSON7@transfer.example,Seven\nnobody\n', '?upsert=email');
    expect(await ended('imports', again)).toMatchObject({
      state: 'done',
      created: 0,
      updated: 1,
      rejected: 1,
      problems: [{ line: 3, message: 'The line has 1 cells instead of 2' }],
    });
    const refused = await download(`/lists/contact/imports/${again.id}/rejected`);
    expect(refused).toBe('line,reason,text\r\n3,The line has 1 cells instead of 2,nobody\r\n');
    const filters = [{ name: 'Email', operator: 'end_with', value: '@transfer.example' }];
    const asked = (await ask({ method: 'POST', path: '/lists/contact/exports', body: { filters } })) as Job;
    expect(await ended('exports', asked)).toMatchObject({ state: 'done', rows: people.length });
    const text = await download(`/lists/contact/exports/${asked.id}/file`);
    const lines = text.trimEnd().split('\r\n');
    const expected = people.with(7, 'Seven,PERSON7@transfer.example');
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 2).join(','))).toEqual(expected);
    const marked = await download(`/lists/contact/exports/${asked.id}/file?bom=true`);
    expect(marked).toBe(`\uFEFF${text}`);
  });

  it('imports dates as dd/mm/yyyy, and says what it expected', async () => {
    const born = { name: 'Born', type: 'DATE' };
    const { columns } = (await ask({ method: 'POST', path: '/lists/contact/columns', body: born })) as {
      columns: { id: string; name: string }[];
    };
    const id = columns.find(({ name }) => name === born.name)?.id ?? '';
    const job = await upload('Name,Born\nNgozi,24/12/1990\nObi,1990-12-24\n', '?date_format=dd/mm/yyyy');
    expect(await ended('imports', job)).toMatchObject({
      created: 1,
      problems: [
        { line: 3, column_id: id, message: 'Born must be a date as dd/mm/yyyy, such as 15/11/2026' },
      ],
    });
    const filters = [{ column_id: id, operator: 'equal', value: '1990-12-24' }];
    expect(await ask({ method: 'POST', path: '/lists/contact/rows/query', body: { filters } })).toMatchObject(
      {
        rows: [{ columns: { [id]: '1990-12-24' } }],
      },
    );
    await ask({ method: 'DELETE', path: `/lists/contact/columns/${id}` });
  });
}
