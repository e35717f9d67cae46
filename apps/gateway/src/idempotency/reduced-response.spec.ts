import { describe, expect, it } from '@jest/globals';
import type { StoredResponse } from './claim.repository.js';
import { reducedResponse } from './reduced-response.js';

const json = 'application/json; charset=utf-8';
const response = (status: number, body: string, type: string | undefined = json): StoredResponse => ({
  status,
  type,
  body: Buffer.from(body),
});
const reduced = (status: number, body: string) => {
  const { body: bytes, ...rest } = reducedResponse(response(status, body));
  return { ...rest, body: JSON.parse(bytes.toString()) as unknown };
};
const long = 'x'.repeat(1_000);

describe('a reduced response', () => {
  it('has the status and the id', () => {
    expect(reduced(200, JSON.stringify({ text: long, id: 'id-1' }))).toEqual({
      status: 200,
      type: json,
      body: { id: 'id-1', message: expect.stringContaining('status and the id') },
    });
  });

  it('has the id of the first object if the response has none itself', () => {
    const row = { row: { id: 'row-1', text: long }, table: { id: 'table-1' } };
    expect(reduced(200, JSON.stringify({ count: 1, list: ['x'], none: null, ...row })).body).toMatchObject({
      id: 'row-1',
    });
  });

  it.each([
    `["${long}"]`,
    `{"id":{"a":"${long}"}}`,
    `{"meta":{"a":"${long}"},"table":{"id":"1"}}`,
    `"${long}"`,
    `{"text":"${long}`,
  ])('has no id if the response has none (%#)', (body) => {
    expect(reduced(200, body).body).toEqual({ message: expect.any(String) });
  });

  it('of an error has the shape of errors', () => {
    expect(reduced(409, JSON.stringify({ status: 409, message: long, errors: [] })).body).toEqual({
      status: 409,
      message: expect.stringContaining('Only the status'),
      errors: [],
    });
  });

  it.each([response(204, '', undefined), response(402, '{"status":402}'), response(200, '{"id":"1"}')])(
    'is the response itself if that is not larger',
    (small) => {
      expect(reducedResponse(small)).toBe(small);
    },
  );
});
