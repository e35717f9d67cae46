import {
  AppError,
  type ErrorType,
  errorTypes,
  fieldError,
  invalidRequest,
  outcomeUnknown,
  unavailable,
} from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { HttpException, InternalServerErrorException, NotFoundException } from '@nestjs/common';
import { errorResponse } from './error-response.js';

describe('an error response', () => {
  it('has the content of an AppError', () => {
    const fields = [fieldError('phone', 'phone is required', 'missing')];
    expect(errorResponse(new AppError('invalid_request', 400, 'Invalid', { fields }), 'r')).toEqual({
      status: 400,
      headers: {
        'x-request-id': 'r',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        link: '</docs/guides/errors#missing>; rel="help"',
      },
      body: { status: 400, message: 'Invalid', errors: fields },
    });
  });

  it.each([
    [new NotFoundException('Cannot GET /x'), 404, 'Not found'],
    [new HttpException('Request body is too large', 413), 413, 'The body is too large'],
    [new HttpException('Unsupported Media Type', 415), 415, 'Send the body as JSON in UTF-8'],
    [new HttpException('I am a teapot', 418), 418, 'I am a teapot'],
  ])('replaces messages of the framework: %s', (error, status, message) => {
    expect(errorResponse(error, 'r')).toMatchObject({ status, body: { status, errors: [] } });
    expect(errorResponse(error, 'r').body.message).toContain(message);
  });

  it.each([
    new Error('password is hunter2'),
    new InternalServerErrorException('hunter2'),
    'hunter2',
    undefined,
  ])('contains nothing but the request id for %p', (error) => {
    const { status, body } = errorResponse(error, 'request-1');
    expect(status).toBe(500);
    expect(body.message).toContain('request-1');
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it('links to the explanation of each type once, of its status if it has none', () => {
    const linkOf = (...types: ErrorType[]): string => {
      const fields = types.map((type) => fieldError('a', 'b', type));
      return errorResponse(invalidRequest(fields), 'r').headers.link;
    };
    const to = (line: string): string => `</docs/guides/errors#${line}>; rel="help"`;
    expect(linkOf('phone', 'missing', 'phone')).toBe(`${to('phone')}, ${to('missing')}`);
    expect(linkOf()).toBe(to('400'));
    expect(linkOf('of a later version' as ErrorType)).toBe(to('400'));
    expect(linkOf(...errorTypes).split(', ')).toHaveLength(5);
    expect(errorResponse(new Error('no'), 'r').headers.link).toBe(to('500'));
    expect(errorResponse(new Error('no'), 'r', '/sms').headers.link).toBe(`</sms${to('500').slice(1)}`);
  });

  it('has Retry-After', () => {
    expect(errorResponse(unavailable(), 'r').headers).toMatchObject({ 'retry-after': '1' });
    expect(errorResponse(new AppError('x', 503, 'away'), 'r').headers).toMatchObject({ 'retry-after': '1' });
    expect(errorResponse(new AppError('x', 429, 'slower', { retryAfter: 12.2 }), 'r').headers).toMatchObject({
      'retry-after': '13',
    });
    expect(errorResponse(new AppError('x', 409, 'busy', { retryAfter: 1 }), 'r').headers).toMatchObject({
      'retry-after': '1',
    });
    expect(errorResponse(new AppError('x', 409, 'no'), 'r').headers).not.toHaveProperty('retry-after');
  });

  it('contains the operation id of an unknown outcome', () => {
    expect(errorResponse(outcomeUnknown('op-1'), 'r').body.errors).toEqual([
      expect.objectContaining({ type: 'outcome_unknown', message: expect.stringContaining('op-1') }),
    ]);
  });
});
