import { newContext, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import type { AppLogger } from './app-logger.js';
import { createLogger } from './create-logger.js';
import { NestLogger } from './nest-logger.js';

function capture(level = 'debug') {
  const text: string[] = [];
  const logger = createLogger({ app: 'otp', level }, { write: (line) => text.push(line) });
  const lines = () => text.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, text: () => text.join(''), lines };
}

const write = (work: (logger: AppLogger) => void) => {
  const log = capture();
  work(log.logger);
  return log;
};

describe('a log line', () => {
  it('says when, how bad, which app and process, and what happened', () => {
    const { lines, text } = write((logger) => {
      logger.info({ lane: 'lookup' }, 'taken');
    });
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        app: 'otp',
        pid: process.pid,
        lane: 'lookup',
        msg: 'taken',
      },
    ]);
    expect(text().split('\n')).toHaveLength(2);
  });

  it('carries the request and the organisation it was written for', () => {
    const context = newContext({ organisationId: 'org-1' });
    const { lines } = write((logger) => {
      runInContext(context, () => {
        logger.warn({}, 'inside');
      });
      logger.warn({}, 'outside');
    });
    expect(lines()[0]).toMatchObject({ requestId: context.requestId, organisationId: 'org-1' });
    expect(lines()[1]).not.toHaveProperty('requestId');
  });

  it('shows no secret, no content and no full number at any depth', () => {
    const { text } = write((logger) => {
      logger.info(
        {
          headers: { Authorization: 'sk_live_1', cookie: 'sk_live_2', 'x-api-key': 'sk_live_3' },
          request: { data: [{ content: 'sk_live_4', recipients: ['sk_live_5'], token: 'sk_live_6' }] },
          password: 'sk_live_7',
          callback_secret: 'sk_live_8',
          QUEUE_KEY: ['sk_live_9'],
          recipient: '+2348031234567',
          text: 'at postgresql://user:sk_live_10@db:5432/gangan and redis://:sk_live_11@cache',
        },
        'x',
      );
    });
    expect(text()).not.toContain('sk_live');
    expect(text()).not.toContain('+2348031234567');
    expect(text()).toContain('+234*******567');
    expect(text()).toContain('postgresql://[removed]@db:5432/gangan and redis://[removed]@cache');
  });

  it('shows of an error what explains it, its causes too, and nothing that hangs on it', () => {
    const cause = Object.assign(new Error('cannot reach redis://:sk_live_1@cache'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error('outer', { cause }), {
      detail: 'sk_live_2',
      parameters: ['sk_live_3'],
    });
    const { lines, text } = write((logger) => {
      logger.error({ err: error }, 'failed');
    });
    expect(lines()[0]).toMatchObject({
      err: {
        type: 'Error',
        message: 'outer',
        cause: { message: 'cannot reach redis://[removed]@cache', code: 'ECONNREFUSED' },
      },
    });
    expect(text()).not.toContain('sk_live');
  });

  it('survives what cannot be written as it is', () => {
    const circle: Record<string, unknown> = { amount: 10n };
    circle['self'] = circle;
    const { lines } = write((logger) => {
      logger.info({ circle, at: new Date(0), none: null }, 'odd');
    });
    expect(lines()[0]).toMatchObject({
      circle: { amount: '10' },
      at: '1970-01-01T00:00:00.000Z',
      none: null,
    });
  });
});

describe('the framework in our log', () => {
  it('is quiet about its wiring and clear about its errors', () => {
    const { logger, lines } = capture('info');
    const nest = new NestLogger(logger);
    nest.log('Mapped {/x, GET} route', 'RouterExplorer');
    nest.log('Something of the app', 'OtpService');
    nest.error(new Error('broken'), 'Error: broken\n    at x', 'ExceptionsHandler');
    nest.error(new Error('twice'), 'ExceptionHandler');
    nest.error('told', 'Error: told\n    at y', 'Somewhere');
    nest.warn({ a: 1 }, 'Somewhere');
    expect(lines()).toMatchObject([
      { level: 'info', context: 'OtpService', msg: 'Something of the app' },
      { level: 'error', context: 'ExceptionsHandler', err: { message: 'broken' }, msg: 'broken' },
      { level: 'error', context: 'Somewhere', stack: 'Error: told\n    at y', msg: 'told' },
      { level: 'warn', context: 'Somewhere', details: { a: 1 } },
    ]);
  });
});
