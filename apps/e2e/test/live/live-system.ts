import { createHmac } from 'node:crypto';
import { type Database, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import {
  type FakeMessage,
  FakeProvider,
  type FakeRefusal,
  FakeTermii,
  fakeTwilio,
  fakeWhatsApp,
  type ReachableSystem,
  type WhatsAppMessage,
  type WhatsAppRefusal,
} from '@gangan/testing';
import { admin } from '../support/admin-command.js';
import type { RunningSystem } from '../support/running.js';
import { LiveOrganisation } from './live-organisation.js';

export const [phoneNumberId, accountId] = ['106540352242922', '102290129340398'];
export const whatsAppNumber = '+15550783881';
export const secrets = {
  TERMII_API_KEY: 'TLsecretKeyOfTheAccount',
  TERMII_SECRET_KEY: 'tsk_signs_the_reports',
  TWILIO_ACCOUNT_SID: 'AC0123456789abcdef0123456789abcdef',
  TWILIO_AUTH_TOKEN: 'theAuthTokenOfTwilio',
  WHATSAPP_TOKEN: 'EAAJBtheAccessToken',
  WHATSAPP_APP_SECRET: 'theAppSecret',
  WHATSAPP_VERIFY_TOKEN: 'theVerifyToken',
} as const;

const templates = [
  { id: '1', name: 'order', language: 'en_US', status: 'APPROVED', category: 'UTILITY' },
  { id: '2', name: 'offer', language: 'en_US', status: 'PAUSED', category: 'MARKETING' },
];

/**
 * Three providers of a system: SMS go to a fake of Termii, or of Twilio for numbers that begin with +23481; WhatsApp messages to
 * one of the Cloud API.
 */
export class LiveSystem {
  private readonly inboundPaths = new Map<string, string>();

  private constructor(
    readonly system: ReachableSystem,
    readonly database: Database,
    readonly termii: FakeTermii,
    readonly twilio: FakeProvider<FakeMessage, FakeRefusal>,
    readonly whatsApp: FakeProvider<WhatsAppMessage, WhatsAppRefusal>,
  ) {}

  static async open({ system, database }: RunningSystem): Promise<LiveSystem> {
    const termii = await FakeTermii.start(secrets.TERMII_API_KEY);
    const twilio = await FakeProvider.start(
      fakeTwilio(secrets.TWILIO_ACCOUNT_SID, secrets.TWILIO_AUTH_TOKEN),
    );
    const accessToken = secrets.WHATSAPP_TOKEN;
    const whatsApp = await FakeProvider.start(
      fakeWhatsApp({ phoneNumberId, accountId, accessToken, templates }),
    );
    const live = new LiveSystem(system(), database(), termii, twilio, whatsApp);
    await live.addProviders();
    return live;
  }

  async close(): Promise<void> {
    await this.termii.stop();
    await this.twilio.stop();
    await this.whatsApp.stop();
  }

  /** Runs `pnpm admin`, and returns what it prints. */
  admin<Output = Record<string, string>>(...args: string[]): Promise<Output> {
    return admin<Output>({ ...secrets, GANGAN_DATA_DIR: this.system.folder, GANGAN_ACTOR: 'ada' }, ...args);
  }

  /** A live organisation with 1,000 naira, a key, a receiver of callbacks, and routes to the providers. */
  async openOrganisation(name: string): Promise<LiveOrganisation> {
    const organisation = await LiveOrganisation.open(this.system, this.database, name);
    for (const [channel, provider, prefix] of [
      ['sms', 'termii', null],
      ['sms', 'twilio', '23481'],
      ['whatsapp', 'whatsapp', null],
    ] as const)
      await this.database.execute(sql`
        WITH added AS (
          INSERT INTO route (id, organisation_id, channel, prefix)
          VALUES (${newId()}::uuid, ${organisation.id}::uuid, ${channel}::channel, ${prefix}) RETURNING id
        )
        INSERT INTO route_target (route_id, provider_id, position)
        SELECT added.id, provider.id, 0 FROM added, provider WHERE name = ${provider}`);
    return organisation;
  }

  /** Assigns a number to an organisation, as `pnpm admin numbers assign` does. */
  async assign({ id }: LiveOrganisation, channel: 'sms' | 'whatsapp', number: string): Promise<void> {
    await this.database.inboundNumber.create({ data: { organisationId: id, channel, number } });
  }

  /** The URL to which a provider sends its reports and messages. */
  inboundUrl(provider: 'termii' | 'whatsapp'): string {
    return `${this.system.url}${this.inboundPaths.get(provider)}`;
  }

  bringFromTermii(content: object, signingKey: string = secrets.TERMII_SECRET_KEY): Promise<Response> {
    const body = JSON.stringify(content);
    const signature = createHmac('sha512', signingKey).update(body).digest('hex');
    return this.bring('termii', body, { 'x-termii-signature': signature });
  }

  bringFromWhatsApp(value: object, signingKey: string = secrets.WHATSAPP_APP_SECRET): Promise<Response> {
    const body = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: accountId, changes: [{ field: 'messages', value }] }],
    });
    const signature = createHmac('sha256', signingKey).update(body).digest('hex');
    return this.bring('whatsapp', body, { 'x-hub-signature-256': `sha256=${signature}` });
  }

  private bring(
    provider: 'termii' | 'whatsapp',
    body: string,
    headers: Record<string, string>,
  ): Promise<Response> {
    return fetch(this.inboundUrl(provider), {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  private async addProviders(): Promise<void> {
    const termii = this.admin(
      ...['providers', 'add', 'termii', '--preset', 'termii', '--registered-senders', 'no'],
      ...['--secret', 'api_key=TERMII_API_KEY', '--secret', 'signing_key=TERMII_SECRET_KEY'],
      ...['--set', `request.url=${this.termii.url}`, '--set', 'allowPrivate=true'],
      ...['--set', 'inbound.hmac.header=X-Termii-Signature', '--set', 'inbound.hmac.algorithm=sha512'],
      ...['--set', 'inbound.hmac.secret={secret.signing_key}'],
    );
    const whatsApp = this.admin(
      ...['providers', 'add', 'whatsapp', '--kind', 'whatsapp', '--set', `phoneNumberId=${phoneNumberId}`],
      ...['--set', `accountId=${accountId}`, '--set', `url=${new URL(this.whatsApp.url).origin}`],
      ...['--set', 'allowPrivate=true', '--secret', 'access_token=WHATSAPP_TOKEN'],
      ...['--secret', 'app_secret=WHATSAPP_APP_SECRET', '--secret', 'verify_token=WHATSAPP_VERIFY_TOKEN'],
    );
    const twilio = this.admin(
      ...['providers', 'add', 'twilio', '--preset', 'twilio', '--set', `request.url=${this.twilio.url}`],
      ...['--set', 'allowPrivate=true', '--secret', 'account_sid=TWILIO_ACCOUNT_SID'],
      ...['--secret', 'auth_token=TWILIO_AUTH_TOKEN'],
    );
    await Promise.all([termii, whatsApp, twilio]);
    const setPath = async (provider: string): Promise<void> => {
      const { path = '' } = await this.admin('providers', 'inbound-url', provider);
      this.inboundPaths.set(provider, path);
    };
    await Promise.all([setPath('termii'), setPath('whatsapp')]);
  }
}
