import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { AppError } from '@gangan/protocol';
import { Registry } from '@gangan/runtime';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { Scope } from '../src/http/routes/access.js';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import { requestModules } from './support/request-modules.js';
import type { RunningGateway } from './support/running-gateway.js';

@Controller('things')
class ThingsController {
  static release: () => void = () => undefined;

  @Get('held')
  @Scope('sms:read')
  held(): Promise<object> {
    return new Promise((resolve) => {
      ThingsController.release = () => {
        resolve({});
      };
    });
  }

  @Get('refused')
  @Scope('sms:read')
  refused(): never {
    throw new AppError('odd_thing', 409, 'No');
  }

  @Get(':id')
  @Scope('sms:read')
  one(@Param('id') id: string): object {
    return { id };
  }
}

@Module({ imports: requestModules, controllers: [ThingsController] })
class ThingsModule {}

describe('the metrics of HTTP', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: IssuedKey;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: ThingsModule });
    key = await fixture.issueKey({ scopes: ['sms:read'] });
  });
  afterAll(() => fixture.stop());

  const get = (path: string) => gateway.call({ path, headers: [['authorization', key.key]] });
  const metrics = (): Promise<string> => gateway.part(Registry).metrics();
  /** A series without the default labels of a process. */
  const value = async (series: string): Promise<number | undefined> => {
    const line = (await metrics()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  };
  const count = (labels: string) => value(`gangan_http_request_seconds_count{${labels}}`);

  it('show the pattern of the route, and one label for all unknown paths', async () => {
    for (const path of ['/things/08031234567', '/things/2', '/nope/1', '/nope/2', '/other?x=1'])
      await get(path);
    expect(await count('method="GET",route="/things/:id",status="200"')).toBe(2);
    expect(await count('method="GET",route="unknown",status="404"')).toBe(3);
    const text = await metrics();
    expect(text).not.toContain('0803');
    expect(text).not.toContain('nope');
  });

  it('count unusual methods and what Node rejects as other', async () => {
    await gateway.raw('PROPFIND /things/1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await gateway.raw('nonsense\r\n\r\n');
    expect(await count('method="other",route="unknown",status="405"')).toBe(1);
    expect(await count('method="other",route="unknown",status="400"')).toBe(1);
  });

  it('count errors by type, and requests by organisation', async () => {
    await get('/things/refused');
    await gateway.call({ path: '/things/1', headers: [['authorization', 'sk_test_wrong']] });
    expect(await value('gangan_http_refusals_total{type="odd_thing"}')).toBe(1);
    expect(await value('gangan_http_refusals_total{type="bad_key"}')).toBe(1);
    const { organisationId } = key;
    const series = `gangan_http_organisation_requests_total{organisation="${organisationId}",status=`;
    // One was refused, and three had unknown paths, in the first test.
    expect(await value(`${series}"4xx"}`)).toBe(4);
    expect(await value(`${series}"5xx"}`)).toBe(0);
  });

  it('show open requests, and those that the client abandons', async () => {
    const open = () => value('gangan_http_open_requests');
    expect(await open()).toBe(0);
    const held = get('/things/held');
    await until('the request is open', async () => (await open()) === 1);
    ThingsController.release();
    await held;
    await until('the request has ended', async () => (await open()) === 0);

    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET /things/held HTTP/1.1\r\nhost: x\r\nauthorization: ${key.key}\r\n\r\n`);
    await until('the request is open', async () => (await open()) === 1);
    socket.destroy();
    await until('the request has ended', async () => (await open()) === 0);
    expect(await count('method="GET",route="/things/held",status="499"')).toBe(1);
    ThingsController.release();
  });

  const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
  (hasPromtool ? it : it.skip)('are valid for promtool', async () => {
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: await metrics() });
    expect({ status, faults: stderr.toString() }).toEqual({ status: 0, faults: '' });
  });
});
