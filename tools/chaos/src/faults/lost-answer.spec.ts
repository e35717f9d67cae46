import { describe, expect, it } from '@jest/globals';
import { parseLostAnswer } from './lost-answer.js';

const lines = (...parts: string[]): Buffer => Buffer.from(parts.join('\r\n'));
const request = lines('POST /sms/send HTTP/1.1', 'Idempotency-Key: s1-sms-4-send', '', '{}');
const body = '{"name":"Adébáyọ̀"}';
const length = `content-length: ${Buffer.byteLength(body)}`;

describe('a lost answer', () => {
  it('has the key of its request, its status and its body', () => {
    const response = lines('HTTP/1.1 402 Payment Required', 'x-request-id: 1', length, '', body);
    expect(parseLostAnswer(request, response)).toEqual({ key: 's1-sms-4-send', status: 402, text: body });
  });

  it('is not compared if it is incomplete, or its request has no key', () => {
    const response = lines('HTTP/1.1 200 OK', length, '', body);
    expect(parseLostAnswer(request, response.subarray(0, -1))).toBeUndefined();
    expect(parseLostAnswer(lines('GET /balance HTTP/1.1', '', ''), response)).toBeUndefined();
  });
});
