import { Database, sql } from '@gangan/database';
import { notFound } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Query } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import { Scope } from '../src/http/routes/access.js';
import { requestModules } from './support/request-modules.js';
import { expectError } from './support/error-shape.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture } from './support/gateway-fixture.js';

class ThingsQuery {
  @IsOptional() @IsString() name?: string;
}

/** Passes its input to Postgres, which cannot store U+0000. */
@Controller('things')
class ThingsController {
  constructor(private readonly database: Database) {}

  @Get()
  @Scope('sms:read')
  list(@Query() { name = '' }: ThingsQuery): Promise<object[]> {
    return this.database.query(sql`SELECT ${name}::text AS name`);
  }

  @Get(':name')
  @Scope('sms:read')
  async find(@Param('name') name: string): Promise<object> {
    const [found] = await this.database.query<object>(
      sql`SELECT given.name FROM (SELECT ${name}::text AS name) AS given WHERE given.name = 'known 😀/%'`,
    );
    if (!found) throw notFound('The thing');
    return found;
  }
}

@Module({ imports: requestModules, controllers: [ThingsController] })
class ThingsModule {}

describe('text that cannot be stored, on any route', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: ThingsModule });
    ({ key } = await fixture.issueKey({ scopes: ['sms:read'] }));
  });
  afterAll(() => fixture.stop());

  const get = (path: string): Promise<Answer> => gateway.call({ path, headers: [['authorization', key]] });

  it.each([
    ['name=%00', ['name value_error']],
    ['name=a%00b&x=%00', ['name value_error', 'x value_error']],
    ['__proto__=1', ['__proto__ value_error']],
  ])('is rejected in the query: %s', async (query, errors) => {
    expect(expectError(await get(`/things?${query}`), 400)).toEqual(errors);
  });

  it.each(['%00', 'a%00b', '%zz', '%', '%ff', '%ED%A0%80', '%zz'.repeat(5_000)])(
    'returns 404 in the path: %.20s',
    async (name) => {
      const unknown = await get('/things/unknown');
      const answer = await get(`/things/${name}`);
      expectError(answer, 404);
      expect(answer.text).toBe(unknown.text);
      expect(gateway.log.requests(answer.headers['x-request-id'])).toMatchObject([
        { route: '/things/:name' },
      ]);
    },
  );

  it('is not inspected before authentication', async () => {
    expectError(await gateway.call({ path: '/things/%zz' }), 401);
  });

  it('does not include encoded text', async () => {
    expect(await get(`/things/${encodeURIComponent('known 😀/%')}`)).toMatchObject({ status: 200 });
    expect(await get('/things?name=%F0%9F%98%80')).toMatchObject({ json: [{ name: '😀' }] });
  });
});
