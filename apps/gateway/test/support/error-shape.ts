import { expect } from '@jest/globals';
import type { Answer } from './http.js';

/** Expects the form of every error response; returns its errors as `field type`. */
export function expectError(answer: Answer, status: number): string[] {
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json; charset=utf-8' } });
  expect(answer.headers['x-request-id']).toMatch(/^\S{1,128}$/);
  expect(answer.json).toEqual({
    status,
    message: expect.stringMatching(/\w/),
    errors: expect.any(Array),
  });
  const { errors } = answer.json as { errors: Readonly<Record<string, unknown>>[] };
  for (const error of errors) {
    expect(error).toEqual({
      field: expect.any(String),
      message: expect.stringMatching(/\w/),
      type: expect.stringMatching(/^[a-z_]+$/),
    });
  }
  const types = [...new Set(errors.map(({ type }) => String(type)))].slice(0, 5);
  const lines = types.length > 0 ? types : [String(status)];
  expect(answer.headers.link).toBe(
    lines.map((line) => `</docs/guides/errors#${line}>; rel="help"`).join(', '),
  );
  return errors.map(({ field, type }) => `${String(field)} ${String(type)}`);
}
