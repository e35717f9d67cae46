import { newContext, runInContext } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { type AppLogger, createLogger } from './logger.js';
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
  it('has the time, level, app, process and message', () => {
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

  it('has every name once, also if a detail has the name of a field of every line', () => {
    const { lines, text } = write((logger) => {
      logger.warn({ app: 'lookup', pid: 7, level: 1, time: 2, msg: 'detail', holder: 'a' }, 'died');
    });
    const names = [...text().matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    expect(lines()).toMatchObject([
      { app: 'otp', pid: process.pid, level: 'warn', msg: 'died', app_: 'lookup', pid_: 7, msg_: 'detail' },
    ]);
  });

  it('has its request and its organisation', () => {
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

  it('is written below the level of the process only for a request with a debug id', () => {
    const debugged = newContext({ requestId: 'debug-1' });
    const other = newContext({ requestId: 'x-debug-1' });
    for (const [level, expected] of [
      ['info', ['debug in', 'info in', 'debug of', 'info other']],
      ['error', ['debug in', 'info in', 'debug of']],
      ['silent', []],
    ] as const) {
      const { logger, lines } = capture(level);
      runInContext(debugged, () => {
        logger.debug({}, 'debug in');
        logger.info({}, 'info in');
        logger.debug({ requestId: other.requestId }, 'not written');
      });
      runInContext(other, () => {
        logger.debug({}, 'not written');
        logger.debug({ requestId: debugged.requestId }, 'debug of');
        logger.info({}, 'info other');
      });
      logger.debug({}, 'not written');
      expect(lines().map(({ msg }) => msg)).toEqual(expected);
      for (const { level: printed, msg, requestId } of lines()) {
        expect(String(msg)).toContain(String(printed));
        expect(requestId).toBe(msg === 'info other' ? other.requestId : debugged.requestId);
      }
    }
  });

  it('shows no secret, no content and no full number at any depth', () => {
    const { text } = write((logger) => {
      logger.info(
        {
          headers: { Authorization: 'hunter2_1', cookie: 'hunter2_2', 'x-api-key': 'hunter2_3' },
          request: { data: [{ content: 'hunter2_4', recipients: ['hunter2_5'], token: 'hunter2_6' }] },
          password: 'hunter2_7',
          callback_secret: 'hunter2_8',
          QUEUE_KEYS: ['hunter2_9'],
          recipient: '+2348031234567',
          recipientGiven: '+2348031234567',
          rows: [
            { e164: '+2348031234567', to: ['+2348031234567', 2348031234567], cells: { name: 'hunter2_12' } },
          ],
          text: 'hunter2_13',
          key: 'hunter2_14',
          bytes: Buffer.from('hunter2_15'),
          note: 'at postgresql://user:hunter2_10@db:5432/gangan and redis://:hunter2_11@cache',
        },
        'x',
      );
    });
    expect(text()).not.toContain('hunter2');
    expect(text()).not.toContain('2348031234567');
    expect(text()).toContain('+234*******567');
    expect(text()).toContain('postgresql://[removed]@db:5432/gangan and redis://[removed]@cache');
  });

  it('shows no secret in free text or in values with their own toJSON', () => {
    const secrets = 'redis://:hunter2@cache, sk_live_hunter2-x, sk_test_hunter2 and whsec_hunter2+/=';
    const shown = 'redis://[removed]@cache, [removed], [removed] and [removed]';
    const { lines, text } = write((logger) => {
      logger.info({ note: secrets, url: new URL('redis://:hunter2@cache') }, secrets);
      logger.info({ own: { toJSON: () => ({ password: 'hunter2', note: secrets }) } }, 'own');
      new NestLogger(logger).error(new Error(secrets));
    });
    expect(lines()).toMatchObject([
      { note: shown, url: 'redis://[removed]@cache', msg: shown },
      { own: { password: '[removed]', note: shown } },
      { err: { message: shown }, msg: shown },
    ]);
    expect(text()).not.toContain('hunter2');
  });

  it('shows no full number in free text, and every id as it is', () => {
    const { lines, text } = write((logger) => {
      const cause = new Error('refused 2348031234567');
      logger.error(
        {
          err: new Error('not sent to +2348031234567', { cause }),
          reason: 'to 2348031234567',
          requestId: '20261115093',
          holder: '281474976710655',
        },
        'no route to 2348031234567',
      );
    });
    expect(text()).not.toContain('2348031234567');
    expect(lines()[0]).toMatchObject({
      err: { message: 'not sent to +234*******567', cause: { message: 'refused 234*******567' } },
      requestId: '20261115093',
      holder: '281474976710655',
      msg: 'no route to 234*******567',
    });
  });

  it('shows the message and causes of an error, and none of its other properties', () => {
    const cause = Object.assign(new Error('cannot reach redis://:hunter2_1@cache'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new Error('outer', { cause }), {
      detail: 'hunter2_2',
      parameters: ['hunter2_3'],
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
    expect(text()).not.toContain('hunter2');
  });

  it('survives values that cannot be serialized', () => {
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
  it('logs its errors, but not its start', () => {
    const { logger, lines } = capture('info');
    const nest = new NestLogger(logger);
    nest.log('Mapped {/x, GET} route', 'RouterExplorer');
    nest.log('Something of the app', 'OtpService');
    nest.error(new Error('broken'), 'Error: broken\n    at x', 'ExceptionsHandler');
    nest.error(new Error('twice'), 'ExceptionHandler');
    nest.error('broken', 'Error: broken\n    at y', 'Somewhere');
    nest.warn({ a: 1 }, 'Somewhere');
    expect(lines()).toMatchObject([
      { level: 'info', context: 'OtpService', msg: 'Something of the app' },
      { level: 'error', context: 'ExceptionsHandler', err: { message: 'broken' }, msg: 'broken' },
      { level: 'error', context: 'Somewhere', stack: 'Error: broken\n    at y', msg: 'broken' },
      { level: 'warn', context: 'Somewhere', details: { a: 1 } },
    ]);
  });
});
