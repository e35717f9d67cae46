import { AppError, outcomeUnknown, unavailable } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { HttpException, InternalServerErrorException, NotFoundException } from '@nestjs/common';
import { errorAnswer } from './error-answer.js';

describe('the answer to an error', () => {
  it('is what an AppError says', () => {
    const fields = [{ field: 'phone', message: 'phone is required', type: 'missing' }];
    expect(errorAnswer(new AppError('invalid_request', 400, 'Invalid', { fields }), 'r')).toEqual({
      status: 400,
      headers: { 'x-request-id': 'r', 'cache-control': 'no-store' },
      body: { status: 400, message: 'Invalid', errors: fields },
    });
  });

  it.each([
    [new NotFoundException('Cannot GET /x'), 404, 'There is nothing here'],
    [new HttpException('Request body is too large', 413), 413, 'The body is too large'],
    [new HttpException('Unsupported Media Type', 415), 415, 'Send the body as JSON in UTF-8'],
    [new HttpException('I am a teapot', 418), 418, 'I am a teapot'],
  ])('puts what the framework says in our words: %s', (error, status, message) => {
    expect(errorAnswer(error, 'r')).toMatchObject({ status, body: { status, errors: [] } });
    expect(errorAnswer(error, 'r').body.message).toContain(message);
  });

  it.each([
    new Error('password is hunter2'),
    new InternalServerErrorException('hunter2'),
    'hunter2',
    undefined,
  ])('tells nothing but the request id of %p', (error) => {
    const { status, body } = errorAnswer(error, 'request-1');
    expect(status).toBe(500);
    expect(body.message).toContain('request-1');
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('says when to come again', () => {
    expect(errorAnswer(unavailable(), 'r').headers).toMatchObject({ 'retry-after': '1' });
    expect(errorAnswer(new AppError('x', 503, 'away'), 'r').headers).toMatchObject({ 'retry-after': '1' });
    expect(errorAnswer(new AppError('x', 429, 'slower', { retryAfter: 12.2 }), 'r').headers).toMatchObject({
      'retry-after': '13',
    });
    expect(errorAnswer(new AppError('x', 409, 'busy', { retryAfter: 1 }), 'r').headers).toMatchObject({
      'retry-after': '1',
    });
    expect(errorAnswer(new AppError('x', 409, 'no'), 'r').headers).not.toHaveProperty('retry-after');
  });

  it('says what an unknown outcome would have made', () => {
    expect(errorAnswer(outcomeUnknown('op-1'), 'r').body.errors).toEqual([
      expect.objectContaining({ type: 'outcome_unknown', message: expect.stringContaining('op-1') }),
    ]);
  });
});
