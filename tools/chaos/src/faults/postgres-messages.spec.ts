import { describe, expect, it } from '@jest/globals';
import { isCommit, isStatement } from './postgres-messages.js';

/** A message of the protocol: its type, its length and its content. */
const message = (type: string, content: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
};

describe('what clients send to Postgres', () => {
  it.each([
    ['a simple query', message('Q', 'SELECT 1\0'), true, false],
    ['a prepared statement', message('P', 'name\0SELECT 1\0\0\0'), true, false],
    ['the end of a transaction', message('Q', 'COMMIT\0'), true, true],
    ['the start of a connection', message('', 'user\0COMMIT\0'), false, false],
    ['a password', message('p', 'COMMIT\0'), false, false],
  ])('%s', (_, request, statement, commit) => {
    expect([isStatement(request), isCommit(request)]).toEqual([statement, commit]);
  });
});
